# requests: a retry adapter takes a Retry of urllib3, which by default does not retry POST (Retry.allowed_methods).
import os, sys
from requests import Session
from requests.adapters import HTTPAdapter, Retry

session = Session()
session.mount("http://", HTTPAdapter(max_retries=Retry(3, allowed_methods=None) if sys.argv[1] == "retried" else Retry(3)))
body = {"invoice": "inv_7", "type": "partner", "partner": {"user": {}}}
headers = {"authorization": "Bearer any", "accept": "application/json"}
session.post(os.environ["BASE_URL"] + "/projects/acme/paymentLinks", json=body, headers=headers).raise_for_status()
