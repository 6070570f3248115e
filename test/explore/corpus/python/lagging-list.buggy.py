"""Creates the payment link of an order. Each attempt looks for the link first, but lists lag behind."""

import time

from client import create_link, links_of


def ensure_link():
    found = links_of("inv_7", "active,completed")
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
