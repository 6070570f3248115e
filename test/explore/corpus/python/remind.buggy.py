"""Sends a reminder with the payment link. A link that does not work any more is replaced."""

import sys

from client import call, create_link

link = call("GET", f"/paymentLinks/{sys.argv[1]}")
if link["status"] != "active":
    link = create_link(link["invoice"])
print("Please pay:", link["paymentUrl"])
