# Signs up a user, unless the email is known.
require_relative 'client'

email = 'ada@example.com'
call('POST', '/users', { email: email }) if call('POST', '/users/search', { email: email })['items'].empty?
