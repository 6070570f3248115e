"""Creates the payment link of an order. Each attempt looks for the link first, but only among the first ten."""

import time

from client import call, create_link


def ensure_link():
    links = call("GET", "/paymentLinks?status=active,completed")["items"]
    found = [link for link in links if link["invoice"] == "inv_7"]
    return found[0] if found else create_link("inv_7")


for attempt in range(3):
    try:
        link = ensure_link()
        break
    except (OSError, ValueError) as error:
        print(f"attempt {attempt + 1} failed: {error}")
        time.sleep(0.05)
else:
    raise SystemExit("no link was created")
print(link["paymentUrl"])
