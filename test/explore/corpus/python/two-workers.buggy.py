"""A worker that makes sure that an invoice has a payment link."""

from client import create_link, links_of

if not links_of("inv_7", "active"):
    create_link("inv_7")
