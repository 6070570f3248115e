# httpx: a transport retries "in case an httpx.ConnectError or an httpx.ConnectTimeout occurs", so no POST that was sent.
import os, sys
import httpx

client = httpx.Client(transport=httpx.HTTPTransport(retries=3))
body = {"invoice": "inv_7", "type": "partner", "partner": {"user": {}}}
headers = {"authorization": "Bearer any", "accept": "application/json"}
for attempt in range(3 if sys.argv[1] == "retried" else 1):
    try:
        response = client.post(os.environ["BASE_URL"] + "/projects/acme/paymentLinks", json=body, headers=headers)
        break
    except httpx.TransportError as error:
        print(error)
assert response.status_code == 201
