# urllib3: "By default, we only retry on methods which are considered to be idempotent" (Retry), which POST is not.
import json, os, sys
from urllib3 import PoolManager, Retry

retry = Retry(3, allowed_methods=None) if sys.argv[1] == "retried" else Retry(3)
headers = {"authorization": "Bearer any", "accept": "application/json", "content-type": "application/json"}
body = json.dumps({"invoice": "inv_7", "type": "partner", "partner": {"user": {}}})
url = os.environ["BASE_URL"] + "/projects/acme/paymentLinks"
response = PoolManager(retries=retry).request("POST", url, body=body, headers=headers)
assert response.status == 201, response.status
