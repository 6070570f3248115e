"""Creates the payment link of an order. Each attempt, and each start, has the same idempotency key."""

import time

from client import create_link

for attempt in range(3):
    try:
        link = create_link("inv_7", key="link-of-inv_7")
        break
    except (OSError, ValueError) as error:
        print(f"attempt {attempt + 1} failed: {error}")
        time.sleep(0.05)
else:
    raise SystemExit("no link was created")
print(link["paymentUrl"])
