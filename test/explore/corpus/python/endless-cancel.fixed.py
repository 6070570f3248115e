"""Cancels a payment link, in at most five attempts. After a conflict, its status decides."""

import sys
import time
from urllib.error import HTTPError

from client import call

path = f"/paymentLinks/{sys.argv[1]}"


def cancel():
    try:
        call("POST", f"{path}/cancel")
    except HTTPError as error:
        if error.code != 409:
            raise
        if call("GET", path)["status"] == "completed":
            sys.exit("too late: it is paid")


for attempt in range(5):
    try:
        cancel()
        break
    except (OSError, ValueError) as error:
        print(f"not canceled yet: {error}")
        time.sleep(0.01)
else:
    sys.exit("not canceled")
print("canceled")
