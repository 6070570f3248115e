"""Looks for a payment link twice, with a pause of a second."""

import time

from client import links_of

links_of("inv_7", "active")
time.sleep(1)
links_of("inv_7", "active")
