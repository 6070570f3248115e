"""Makes sure that there is a payment link. It looks at a random number of links."""

import random

from client import call, create_link

if not call("GET", f"/paymentLinks?limit={random.randint(1, 200)}")["items"]:
    create_link("inv_7")
