"""Sends a reminder with the payment link. A link that was canceled is replaced, and a paid one needs no reminder."""

import sys

from client import call, create_link

link = call("GET", f"/paymentLinks/{sys.argv[1]}")
if link["status"] == "completed":
    sys.exit()
if link["status"] == "canceled":
    link = create_link(link["invoice"])
print("Please pay:", link["paymentUrl"])
