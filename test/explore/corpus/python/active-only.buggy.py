"""Prints where a customer pays an invoice. Creates a payment link if there is none."""

from client import create_link, links_of

active = links_of("inv_7", "active")
link = active[0] if active else create_link("inv_7")
print(link["paymentUrl"])
