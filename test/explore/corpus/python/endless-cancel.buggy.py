"""Cancels a payment link, however often it takes."""

import sys
import time

from client import call

while True:
    try:
        call("POST", f"/paymentLinks/{sys.argv[1]}/cancel")
        break
    except (OSError, ValueError) as error:
        print(f"not canceled yet: {error}")
        time.sleep(0.01)
print("canceled")
