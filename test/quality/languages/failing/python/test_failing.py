from checkout import Checkout


def test_fails_on_purpose(paylink_project):
    link = Checkout(paylink_project.url, "any", paylink_project.id).start("inv_1")
    assert link["status"] == "completed"


def test_fault_is_unused(paylink_project):
    paylink_project.control("POST", "/faults", {"effect": {"status": 503}})
