# Gives a user another email: deletes the user, and creates it again.
require_relative 'client'

old = call('POST', '/users/search', { email: 'ada@old.example' })['items'].first
if old.nil?
  puts 'The email is changed already.'
else
  call('DELETE', "/users/#{old['id']}")
  call('POST', '/users', { email: 'ada@new.example', fullName: old['fullName'], metadata: old['metadata'] })
end
