"""Makes sure that an invoice has a payment link, and waits half a second for a response."""

import json
import os
import urllib.request

url = f"{os.environ['BASE_URL']}/projects/acme/paymentLinks"
headers = {"authorization": "Bearer any", "accept": "application/json", "content-type": "application/json"}
body = {"invoice": "inv_7", "type": "partner", "partner": {"user": {}}}


def call(data=None):
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=0.5) as response:
        return json.load(response)


if not call()["items"]:
    call(json.dumps(body).encode())
