"""The code under test. It knows the service by a base URL, a token and a project."""

import json
from time import sleep
from urllib.request import Request, urlopen


class Checkout:
    def __init__(self, base_url, token, project):
        self.address = f"{base_url}/projects/{project}/paymentLinks"
        self.headers = {
            "authorization": f"Bearer {token}",
            "accept": "application/json",
            "content-type": "application/json",
        }

    def start(self, invoice):
        """Returns the only payment link of the invoice. A lost response may have left another one, which it cancels."""
        try:
            return self._create(invoice)
        except ConnectionError:
            link = self._create(invoice)
        for other in self._list_with(link):
            if other["id"] != link["id"]:
                self._call("POST", f"/{other['id']}/cancel")
        return link

    def is_paid(self, link):
        return self._call("GET", f"/{link['id']}")["status"] == "completed"

    def _create(self, invoice):
        return self._call("POST", "", {"invoice": invoice, "type": "partner", "partner": {"user": {}}})

    def _list_with(self, link):
        """Lists the active links of the invoice. The list may lag behind: when it has this link, it has the older ones too."""
        for _ in range(50):
            links = self._call("GET", f"?invoice={link['invoice']}&status=active")["items"]
            if any(found["id"] == link["id"] for found in links):
                return links
            sleep(0.2)
        raise TimeoutError(f"The list does not show {link['id']}.")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.address + path, data, self.headers, method=method)) as response:
            return json.load(response)
