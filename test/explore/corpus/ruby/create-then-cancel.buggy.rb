# Moves a payment link to another shop: creates a link that returns to the new shop, then cancels the old ones.
require_relative 'client'

shop = 'https://new.example.com/thanks'
links = links_of('inv_7', 'active,completed')
abort 'inv_7 is paid' if links.any? { |link| link['status'] == 'completed' }
link = links.find { |found| found['partner']['redirectUrl'] == shop } || create_link('inv_7', redirect_url: shop)
links.each do |old|
  call('POST', "/paymentLinks/#{old['id']}/cancel") unless old['id'] == link['id']
rescue ApiError => e
  raise unless e.status == 409 # Somebody else has canceled it.
end
puts link['paymentUrl']
