require "checkout"
require "spec_helper"

RSpec.describe Checkout do
  subject(:checkout) { Checkout.new(base_url: Project::URL, token: "any", project: project.id) }

  it "starts with an active link" do
    expect(checkout.start("inv_1")["status"]).to eq("active")
  end

  it "is paid when the customer has paid" do
    link = checkout.start("inv_1")
    expect(checkout).not_to be_paid(link)
    project.control("POST", "/paymentLinks/#{link["id"]}/pay")
    expect(checkout).to be_paid(link)
  end

  it "creates a link for the invoice" do
    checkout.start("inv_1")
    match = { operation: "createPaymentLink", body: { invoice: "inv_1" } }
    project.control("POST", "/requests/verify", { match:, times: 1 })
  end

  it "cancels the link of a lost response" do
    match = { operation: "createPaymentLink" }
    project.control("POST", "/faults", { match:, phase: "after", effect: { connection: "close" } })
    project.control("POST", "/faults", { effect: { stale: { changes: 1 } } })
    expect(checkout.start("inv_1")["status"]).to eq("active")
    match = { operation: "cancelPaymentLink", status: 200 }
    project.control("POST", "/requests/verify", { match:, times: 1 })
  end
end
