"""Calls the API. Raises HTTPError for an error, another OSError for a broken connection, ValueError for broken JSON."""

import json
import os
import urllib.request


def call(method, path, body=None, key=None):
    headers = {"authorization": "Bearer any", "accept": "application/json", "content-type": "application/json"}
    if key is not None:
        headers["idempotency-key"] = key
    data = None if body is None else json.dumps(body).encode()
    url = f"{os.environ['BASE_URL']}/projects/acme{path}"
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


def links_of(invoice, status):
    return call("GET", f"/paymentLinks?invoice={invoice}&status={status}")["items"]


def create_link(invoice, key=None):
    return call("POST", "/paymentLinks", {"invoice": invoice, "type": "partner", "partner": {"user": {}}}, key)


def three_times(work):
    """Does it with up to three attempts, as an SDK does each call."""
    for attempt in (1, 2, 3):
        try:
            return work()
        except (OSError, ValueError):
            if attempt == 3:
                raise
