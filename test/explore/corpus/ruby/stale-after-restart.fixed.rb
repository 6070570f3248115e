# A job that makes sure that an invoice has a payment link. The idempotency key is the same after a restart.
require_relative 'client'

link = links_of('inv_7', 'active,completed').first || create_link('inv_7', key: 'payment-link-inv_7')
puts link['paymentUrl']
