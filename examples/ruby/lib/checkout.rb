require "json"
require "net/http"

# The code under test. It knows the service by a base URL, a token and a project.
class Checkout
  def initialize(base_url:, token:, project:)
    @links = "#{base_url}/projects/#{project}/paymentLinks"
    @headers = {
      "authorization" => "Bearer #{token}",
      "accept" => "application/json",
      "content-type" => "application/json",
    }
  end

  # Returns the only payment link of the invoice. A lost response may have left another one, which it cancels.
  def start(invoice)
    create(invoice)
  rescue EOFError, SystemCallError, Timeout::Error
    link = create(invoice)
    list_with(link).each { |other| call("POST", "/#{other["id"]}/cancel") unless other["id"] == link["id"] }
    link
  end

  def paid?(link)
    call("GET", "/#{link["id"]}")["status"] == "completed"
  end

  private

  def create(invoice)
    call("POST", "", { invoice:, type: "partner", partner: { user: {} } })
  end

  # Lists the active links of the invoice. The list may lag behind: when it has this link, it has the older ones too.
  def list_with(link)
    50.times do
      links = call("GET", "?status=active&invoice=#{link["invoice"]}")["items"]
      return links if links.any? { |other| other["id"] == link["id"] }

      sleep 0.2
    end
    raise "The list does not show #{link["id"]}."
  end

  def call(method, path, body = nil)
    uri = URI(@links + path)
    response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") do |http|
      http.send_request(method, uri.request_uri, body&.to_json, @headers)
    end
    response.value # Raises an error unless the status is 2xx.
    JSON.parse(response.body)
  end
end
