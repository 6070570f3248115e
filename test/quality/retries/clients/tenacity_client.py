# tenacity: "the default behavior is to retry forever without waiting when an exception is raised", whatever the function does.
import os, sys
from requests import post
from tenacity import retry, stop_after_attempt


def create():
    body = {"invoice": "inv_7", "type": "partner", "partner": {"user": {}}}
    headers = {"authorization": "Bearer any", "accept": "application/json"}
    post(os.environ["BASE_URL"] + "/projects/acme/paymentLinks", json=body, headers=headers).raise_for_status()


(retry(stop=stop_after_attempt(3), reraise=True)(create) if sys.argv[1] == "retried" else create)()
