"""Prints where a customer pays an invoice. Creates a payment link if there is none, and the invoice is not paid."""

from client import create_link, links_of

found = links_of("inv_7", "active,completed")
if any(link["status"] == "completed" for link in found):
    print("inv_7 is paid")
else:
    link = found[0] if found else create_link("inv_7")
    print(link["paymentUrl"])
