"""Creates a payment link, and waits until it is paid."""

import time

from client import call, create_link, links_of

found = links_of("inv_7", "active,completed")
link = found[0] if found else create_link("inv_7")
print("please pay at", link["paymentUrl"])
while link["status"] != "completed":
    time.sleep(0.01)
    link = call("GET", f"/paymentLinks/{link['id']}")
print("paid")
