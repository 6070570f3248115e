# Gives a user another email.
require_relative 'client'

old = call('POST', '/users/search', { email: 'ada@old.example' })['items'].first
if old.nil?
  puts 'The email is changed already.'
else
  call('PATCH', "/users/#{old['id']}", { email: 'ada@new.example' })
end
