# Calls the API. Raises ApiError for an error, and other errors for a broken connection and broken JSON.
require 'json'
require 'net/http'

class ApiError < StandardError
  attr_reader :status

  def initialize(response)
    @status = response.code.to_i
    super("the API responds with #{response.code}")
  end
end

def call(method, path, body = nil, key: nil)
  uri = URI("#{ENV.fetch('BASE_URL')}/projects/acme#{path}")
  headers = { 'Authorization' => 'Bearer any', 'Accept' => 'application/json', 'Content-Type' => 'application/json' }
  headers['Idempotency-Key'] = key if key
  response = Net::HTTP.start(uri.host, uri.port) do |http|
    http.send_request(method, uri.request_uri, body && JSON.generate(body), headers)
  end
  raise ApiError, response unless response.is_a?(Net::HTTPSuccess)

  JSON.parse(response.body)
end

def links_of(invoice, status)
  call('GET', "/paymentLinks?invoice=#{invoice}&status=#{status}")['items']
end

def create_link(invoice, redirect_url: nil, user: {}, key: nil)
  partner = { user: user, redirectUrl: redirect_url }.compact
  call('POST', '/paymentLinks', { invoice: invoice, type: 'partner', partner: partner }, key: key)
end

# Does it with up to three attempts, as an SDK does each call.
def three_times
  attempt ||= 1
  yield
rescue StandardError
  raise if attempt == 3

  attempt += 1
  retry
end
