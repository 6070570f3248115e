import os
import paylink_api
import paylink_control

url, project = os.environ["MOCK_URL"], "acme"


def client(package):
    configuration = package.Configuration(host=url)
    configuration.access_token = "any"
    return package.ApiClient(configuration)


users = paylink_api.UsersApi(client(paylink_api))
links = paylink_api.PaymentLinksApi(client(paylink_api))
control = paylink_control.OneProjectApi(client(paylink_control))

users.create_user(project, paylink_api.CreateUserBody(email="ada@example.com"))
partner = paylink_api.CreatePaymentLinkBodyPartner(user=paylink_api.CreatePaymentLinkBodyPartnerUser())
link = links.create_payment_link(
    project, paylink_api.CreatePaymentLinkBody(invoice="inv_1", type="partner", partner=partner)
)
assert control.pay_payment_link(project, link.id).status == "completed"
match = paylink_control.VerifyRequestsBodyMatch(operation="createPaymentLink")
assert control.verify_requests(project, paylink_control.VerifyRequestsBody(match=match, times=1)).ok
assert links.retrieve_payment_link(project, link.id).status == "completed"
