# faraday: by default it retries "the idempotent HTTP methods in IDEMPOTENT_METHODS", which POST is not.
require 'faraday'
require 'json'

options = { max: 3, exceptions: [Faraday::ConnectionFailed] }
options[:methods] = %i[post] if ARGV[0] == 'retried'
connection = Faraday.new { |faraday| faraday.request(:retry, options) && faraday.response(:raise_error) && faraday.adapter(:net_http) }
headers = { 'Authorization' => 'Bearer any', 'Accept' => 'application/json', 'Content-Type' => 'application/json' }
body = { invoice: 'inv_7', type: 'partner', partner: { user: {} } }.to_json
connection.post("#{ENV['BASE_URL']}/projects/acme/paymentLinks", body, headers)
