# Counts an order of a user, and tries again if that fails. The id of the order tells whether it was counted already.
require_relative 'client'

path, order = "/users/#{ARGV[0]}", 'ord_9'
attempts = 0
begin
  attempts += 1
  metadata = call('GET', path)['metadata']
  unless metadata['lastOrder'] == order
    call('PATCH', path, { metadata: { orders: metadata.fetch('orders', 0) + 1, lastOrder: order } })
  end
rescue StandardError => e
  warn "attempt #{attempts} failed: #{e.message}"
  raise if attempts == 3

  sleep 0.05
  retry
end
