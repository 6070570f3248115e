# Deletes users who have not completed their sign-up.
require_relative 'client'

call('GET', '/users')['items'].each do |user|
  call('DELETE', "/users/#{user['id']}") unless user['metadata']['complete']
end
