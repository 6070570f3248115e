# Signs up a user in two steps.
require_relative 'client'

user = call('POST', '/users', { email: 'ada@example.com' })
begin
  call('PATCH', "/users/#{user['id']}", { metadata: { complete: true } })
rescue ApiError => e
  warn "The user is not marked: #{e.message}"
end
