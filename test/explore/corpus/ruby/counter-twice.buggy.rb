# Counts an order of a user, and tries again if that fails.
require_relative 'client'

path = "/users/#{ARGV[0]}"
attempts = 0
begin
  attempts += 1
  orders = call('GET', path)['metadata'].fetch('orders', 0)
  call('PATCH', path, { metadata: { orders: orders + 1 } })
rescue StandardError => e
  warn "attempt #{attempts} failed: #{e.message}"
  raise if attempts == 3

  sleep 0.05
  retry
end
