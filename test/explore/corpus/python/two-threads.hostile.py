"""Two threads make sure that an invoice has a payment link. The second one starts a moment later."""

import threading
import time

from client import create_link, links_of


def ensure_link(delay):
    time.sleep(delay)
    if not links_of("inv_7", "active"):
        create_link("inv_7")


threads = [threading.Thread(target=ensure_link, args=[delay]) for delay in (0, 0.1)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
