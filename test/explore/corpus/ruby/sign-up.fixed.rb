# Signs up a user who has bought something: creates the user and the payment link, if they do not exist yet.
require_relative 'client'

email = 'ada@example.com'
user = call('POST', '/users/search', { email: email })['items'].first
user ||= call('POST', '/users', { email: email, fullName: 'Ada Lovelace' })
link = links_of('inv_7', 'active,completed').first
link ||= create_link('inv_7', user: { email: user['email'], fullName: user['fullName'] })
puts link['paymentUrl']
