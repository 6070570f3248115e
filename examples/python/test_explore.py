"""Explores a checkout: one test for each call, phase and effect."""

import json

import pytest

from checkout import Checkout
from conftest import Project


def run(*faults):
    """Starts a checkout in a project of its own. Returns the operations that it called, and the active links."""
    project = Project("explore", json.dumps(faults))
    for fault in faults:
        project.control("POST", "/faults", fault)
    try:
        Checkout(project.url, "any", project.id).start("inv_1")
    except (OSError, ValueError) as error:  # A checkout may fail, but must not leave two links.
        print(error)
    requests, links = (json.loads(project.control("GET", path))["items"] for path in ("/requests", "/paymentLinks"))
    return [request["operation"] for request in requests], [link for link in links if link["status"] == "active"]


CALLS, LINKS = run()
EFFECTS = {"connection": "reset"}, {"status": 503}
FAULTS = [
    {"match": {"operation": call}, "skip": CALLS[:index].count(call), "phase": phase, "effect": effect}
    for index, call in enumerate(CALLS) for phase in ("before", "after") for effect in EFFECTS
]


@pytest.mark.parametrize("fault", FAULTS, ids=json.dumps)
def test_an_invoice_has_one_link(fault):
    assert len(run(fault)[1]) <= len(LINKS)
