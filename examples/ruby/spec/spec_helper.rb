require "json"
require "net/http"
require "project_ids"

unless ENV["PAYLINK_MOCK_URL"] && ENV["PAYLINK_MOCK_ADMIN_TOKEN"]
  abort "Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock."
end

class Project
  URL = ENV.fetch("PAYLINK_MOCK_URL")
  ADMIN_TOKEN = ENV.fetch("PAYLINK_MOCK_ADMIN_TOKEN")

  attr_reader :id

  def initialize(*names)
    @id = project_id_for(*names)
    control("POST", "/reset") # An earlier run may have used the same mock.
  end

  # Calls the control API for this project and returns the body of the response.
  def control(method, path, body = nil)
    uri = URI("#{URL}/__admin/projects/#{id}#{path}")
    headers = { "authorization" => "Bearer #{ADMIN_TOKEN}", "content-type" => "application/json" }
    response = Net::HTTP.start(uri.host, uri.port) do |http|
      http.send_request(method, uri.request_uri, body&.to_json, headers)
    end
    raise response.body unless response.is_a?(Net::HTTPSuccess)
    response.body
  end
end

# Gives each example a project of its own. A failed example prints the report of its project.
RSpec.configure do |config|
  config.include(Module.new { attr_reader :project })
  config.around do |example|
    groups = example.example_group.parent_groups.reverse
    @project = Project.new(example.file_path, *groups.map(&:description), example.description)
    example.run
    config.reporter.message(project.control("GET", "/report")) if example.exception
  end
end
