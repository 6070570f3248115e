# Finds or creates a customer, and notes the plan. A failed search ends it.
require_relative 'client'

email = 'ada@example.com'
user = three_times { call('POST', '/users/search', { email: email })['items'] }.first
user ||= three_times { call('POST', '/users', { email: email }, key: 'user-ada') }
three_times { call('PATCH', "/users/#{user['id']}", { metadata: { plan: 'pro' } }, key: 'plan-ada') }
