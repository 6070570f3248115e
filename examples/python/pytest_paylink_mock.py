"""Fixtures of pytest for paylink-mock. Use them with: pytest -p pytest_paylink_mock"""
import json, os, re, signal, subprocess
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

HEADERS = {"authorization": f"Bearer {os.getenv('PAYLINK_MOCK_ADMIN_TOKEN', 'none')}", "content-type": "application/json"}


class Project:
    """A project of the mock. Where there is no control API, as under compare, it is only an id."""
    def __init__(self, url, *names):
        self.url, self.id = url, project_id_for(*names)
        try:
            self.has_control = json.load(urlopen(f"{url}/__admin/health")).get("status") == "ok"
        except (HTTPError, ValueError, AttributeError):
            self.has_control = False

    def control(self, method, path, body=None):
        """Calls the control API for this project. Returns the body of the response as text."""
        if not self.has_control:
            pytest.skip("There is no control API here.")
        data = None if body is None else json.dumps(body).encode()
        address = f"{self.url}/__admin/projects/{self.id}{path}"
        try:
            return urlopen(Request(address, data, HEADERS, method=method)).read().decode()
        except HTTPError as error:
            raise AssertionError(json.load(error)["message"]) from None

    def __enter__(self):
        if self.has_control:
            self.control("POST", "/reset")  # A run that was killed may have left the project.
        return self

    def __exit__(self, *_):
        if self.has_control:
            print(self.control("GET", "/report"))  # pytest shows the output of failed tests only.
            faults = json.loads(self.control("GET", "/faults"))["items"]
            self.control("DELETE", "")
            unused = [fault for fault in faults if fault["project"] == self.id and fault["hits"] == 0]
            if unused:
                pytest.fail(f"A fault never applied: {json.dumps(unused[0])}", pytrace=False)


def project_id_for(*names):
    """Follows the rule of examples/project-ids.json: a readable part, and a hash of all names."""
    readable = re.sub("[^A-Za-z0-9]+", "-", names[-1] if names else "")[:40].strip("-").lower()
    digest = 0xCBF29CE484222325  # FNV-1a with 64 bits
    for byte in "\0".join(names).encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"{readable or 'test'}-{digest:016x}"


@pytest.fixture(scope="session")
def paylink_mock():
    """The address of the mock: PAYLINK_MOCK_URL, or that of a mock that runs until the last test has ended."""
    if url := os.getenv("PAYLINK_MOCK_URL"):
        return (yield url)
    command = "npx paylink-mock --port 0 --seed empty --log silent".split()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        yield process.stdout.readline().split(" ready on ")[-1].strip() or pytest.exit("npx paylink-mock did not start.")
        os.killpg(process.pid, signal.SIGTERM)


@pytest.fixture
def paylink_project(request, paylink_mock):
    """A project of its own for each test. A failed test prints its requests and records."""
    with Project(paylink_mock, *request.node.nodeid.split("::")) as project:
        yield project
