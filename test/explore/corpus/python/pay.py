"""What a shop does for an order: it creates a payment link, and keeps its address in sqlite. MISTAKE names its mistake."""

import os
import sqlite3
import uuid

from client import create_link, links_of

PROCESS_KEY = uuid.uuid4()


def create_with_other_keys(order, attempt=1):
    """Each attempt has a key of its own."""
    try:
        return create_link(order, f"pay-{order}-{attempt}")
    except (OSError, ValueError):
        if attempt == 3:
            raise
        return create_with_other_keys(order, attempt + 1)


def look_first(order):
    """Another click comes between the two calls."""
    found = links_of(order, "active,completed")
    return found[0] if found else create_link(order)


create_link_for = {
    "none": lambda order: create_link(order, f"pay-{order}"),
    "lost": create_with_other_keys,
    # After a restart, the key is another one.
    "crash": lambda order: create_link(order, f"{PROCESS_KEY}-{order}"),
    "click": look_first,
}[os.environ["MISTAKE"]]


def pay(order):
    """Returns the address of the payment page."""
    with sqlite3.connect("orders.db", timeout=20) as database:
        database.execute("create table if not exists orders (name text primary key, url text)")
        row = database.execute("select url from orders where name = ?", [order]).fetchone()
    if row is None:
        row = [create_link_for(order)["paymentUrl"]]
        with sqlite3.connect("orders.db", timeout=20) as database:
            database.execute("insert or ignore into orders values (?, ?)", [order, row[0]])
    return row[0]
