# Signs up a user who has bought something: creates the user and the payment link.
require_relative 'client'

user = call('POST', '/users', { email: 'ada@example.com', fullName: 'Ada Lovelace' })
link = create_link('inv_7', user: { email: user['email'], fullName: user['fullName'] })
puts link['paymentUrl']
