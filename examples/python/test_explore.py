"""Explores a checkout: tries each effect before and after each of its calls."""

import json

from checkout import Checkout
from pytest_paylink_mock import Project

EFFECTS = {"connection": "reset"}, {"status": 503}


def run(url, *faults):
    """Starts a checkout in a project of its own. Returns the operations that it called, and the active links."""
    with Project(url, "explore", json.dumps(faults)) as project:
        for fault in faults:
            project.control("POST", "/faults", fault)
        try:
            Checkout(url, "any", project.id).start("inv_1")
        except (OSError, ValueError) as error:  # A checkout may fail, but must not leave two links.
            print(error)
        requests, links = (json.loads(project.control("GET", path))["items"] for path in ("/requests", "/paymentLinks"))
        return [request["operation"] for request in requests], [link for link in links if link["status"] == "active"]


def test_no_fault_leaves_two_links(paylink_mock):
    calls, links = run(paylink_mock)
    for index, call in enumerate(calls):
        for fault in ({"phase": phase, "effect": effect} for phase in ("before", "after") for effect in EFFECTS):
            fault.update(match={"operation": call}, skip=calls[:index].count(call))
            assert len(run(paylink_mock, fault)[1]) <= len(links), fault
