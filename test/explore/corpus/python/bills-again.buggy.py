"""Bills two orders. Takes a failed list for an order that has no link."""

from client import create_link, links_of, three_times


def has_link(invoice):
    try:
        return three_times(lambda: links_of(invoice, "active,completed,canceled")) != []
    except (OSError, ValueError):
        return False


for invoice in ("inv_6", "inv_7"):
    if not has_link(invoice):
        three_times(lambda: create_link(invoice, f"link-{invoice}"))
