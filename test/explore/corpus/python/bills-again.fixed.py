"""Bills two orders. A failed list ends it."""

from client import create_link, links_of, three_times

for invoice in ("inv_6", "inv_7"):
    if not three_times(lambda: links_of(invoice, "active,completed,canceled")):
        three_times(lambda: create_link(invoice, f"link-{invoice}"))
