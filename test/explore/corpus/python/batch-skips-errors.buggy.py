"""Creates a payment link for each invoice of the month that has none."""

from client import create_link, links_of

for invoice in ["inv_1", "inv_2"]:
    try:
        if not links_of(invoice, "active,completed"):
            create_link(invoice)
            print(f"{invoice}: created")
    except OSError as error:
        print(f"{invoice}: skipped, {error}")
