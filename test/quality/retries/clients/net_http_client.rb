# net/http: max_retries is for idempotent requests (Net::HTTP::IDEMPOTENT_METHODS_), so POST is sent once.
require 'net/http'
require 'json'

uri = URI("#{ENV['BASE_URL']}/projects/acme/paymentLinks")
headers = { 'Authorization' => 'Bearer any', 'Accept' => 'application/json', 'Content-Type' => 'application/json' }
attempts = ARGV[0] == 'retried' ? 3 : 1
begin
  http = Net::HTTP.new(uri.host, uri.port)
  http.max_retries = 3
  http.post(uri.path, { invoice: 'inv_7', type: 'partner', partner: { user: {} } }.to_json, headers).value
rescue EOFError, SystemCallError
  (attempts -= 1).positive? ? retry : raise
end
