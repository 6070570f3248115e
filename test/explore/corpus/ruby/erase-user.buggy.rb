# Erases a user who has asked for it. It must succeed in the end, so it tries three times.
require_relative 'client'

attempts = 0
begin
  attempts += 1
  call('DELETE', "/users/#{ARGV[0]}")
rescue StandardError => e
  raise if attempts == 3

  warn "attempt #{attempts} failed: #{e.message}"
  sleep 0.05
  retry
end
