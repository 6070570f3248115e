# Finds or creates a customer, and notes the plan. Takes a failed search for a missing customer.
require_relative 'client'

email = 'ada@example.com'
users = begin
  three_times { call('POST', '/users/search', { email: email })['items'] }
rescue StandardError
  []
end
user = users.first || three_times { call('POST', '/users', { email: email }, key: 'user-ada') }
three_times { call('PATCH', "/users/#{user['id']}", { metadata: { plan: 'pro' } }, key: 'plan-ada') }
