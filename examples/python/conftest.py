"""Gives each test a project of its own. A failed test prints the report of its project."""

import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from project_ids import project_id_for


if not os.environ.get("PAYLINK_MOCK_URL") or not os.environ.get("PAYLINK_MOCK_ADMIN_TOKEN"):
    pytest.exit("Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock.", 1)


class Project:
    url = os.environ["PAYLINK_MOCK_URL"]
    admin_token = os.environ["PAYLINK_MOCK_ADMIN_TOKEN"]

    def __init__(self, *names):
        self.id = project_id_for(*names)
        self.control("POST", "/reset")  # An earlier run may have used the same mock.

    def control(self, method, path, body=None):
        """Calls the control API for this project and returns the body of the response."""
        address = f"{self.url}/__admin/projects/{self.id}{path}"
        headers = {"authorization": f"Bearer {self.admin_token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            return urlopen(Request(address, data, headers, method=method)).read().decode()
        except HTTPError as error:
            raise AssertionError(json.load(error)["message"]) from None


@pytest.fixture
def project(request):
    project = Project(*request.node.nodeid.split("::"))
    yield project
    print(project.control("GET", "/report"))  # pytest shows the output of failed tests only.
