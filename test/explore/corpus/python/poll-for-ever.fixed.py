"""Creates a payment link, and waits until it is paid or canceled, but not for ever."""

import sys
import time

from client import call, create_link, links_of

found = links_of("inv_7", "active,completed")
link = found[0] if found else create_link("inv_7")
print("please pay at", link["paymentUrl"])
for attempt in range(10):
    if link["status"] != "active":
        break
    time.sleep(0.01)
    link = call("GET", f"/paymentLinks/{link['id']}")
if link["status"] != "completed":
    sys.exit(f"not paid: the link is {link['status']}")
print("paid")
