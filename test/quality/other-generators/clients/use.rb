require "paylink_api"
require "paylink_control"

project = "acme"
[PaylinkApi, PaylinkControl].each do |package|
  package.configure do |config|
    config.scheme, config.host = ENV.fetch("MOCK_URL").split("://")
    config.access_token = "any"
  end
end
users, links, control = PaylinkApi::UsersApi.new, PaylinkApi::PaymentLinksApi.new, PaylinkControl::OneProjectApi.new

users.create_user(project, PaylinkApi::CreateUserBody.new(email: "ada@example.com"))
partner = PaylinkApi::CreatePaymentLinkBodyPartner.new(user: PaylinkApi::CreatePaymentLinkBodyPartnerUser.new)
body = PaylinkApi::CreatePaymentLinkBody.new(invoice: "inv_1", type: "partner", partner: partner)
link = links.create_payment_link(project, body)
raise "not paid" unless control.pay_payment_link(project, link.id).status == "completed"
match = PaylinkControl::VerifyRequestsBodyMatch.new(operation: "createPaymentLink")
body = PaylinkControl::VerifyRequestsBody.new(match: match, times: 1)
raise "not verified" unless control.verify_requests(project, body).ok
raise "not completed" unless links.retrieve_payment_link(project, link.id).status == "completed"
