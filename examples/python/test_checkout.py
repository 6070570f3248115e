import pytest

from checkout import Checkout


@pytest.fixture
def checkout(paylink_project):
    return Checkout(paylink_project.url, "any", paylink_project.id)


def test_a_checkout_starts_with_an_active_link(checkout):
    assert checkout.start("inv_1")["status"] == "active"


def test_an_invoice_is_paid_when_the_customer_has_paid(checkout, paylink_project):
    link = checkout.start("inv_1")
    assert not checkout.is_paid(link)
    paylink_project.control("POST", f"/paymentLinks/{link['id']}/pay")
    assert checkout.is_paid(link)


def test_the_link_is_for_the_invoice(checkout, paylink_project):
    checkout.start("inv_1")
    match = {"operation": "createPaymentLink", "body": {"invoice": "inv_1"}}
    paylink_project.control("POST", "/requests/verify", {"match": match, "times": 1})


def test_the_link_of_a_lost_response_is_canceled(checkout, paylink_project):
    match = {"operation": "createPaymentLink"}
    paylink_project.control("POST", "/faults", {"match": match, "phase": "after", "effect": {"connection": "close"}})
    paylink_project.control("POST", "/faults", {"effect": {"stale": {"changes": 1}}})
    assert checkout.start("inv_1")["status"] == "active"
    paylink_project.control("POST", "/requests/verify", {"match": {"operation": "cancelPaymentLink", "status": 200}, "times": 1})
