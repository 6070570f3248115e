require "checkout"
require "spec_helper"

RSpec.describe Checkout do
  it "fails on purpose" do
    link = Checkout.new(base_url: Project::URL, token: "any", project: project.id).start("inv_1")
    expect(link["status"]).to eq("completed")
  end
end
