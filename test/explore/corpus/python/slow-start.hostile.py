"""Reads a large file, then makes sure that an invoice has a payment link."""

import sys
import time

from client import create_link, links_of

time.sleep(float(sys.argv[1]))
if not links_of("inv_7", "active"):
    create_link("inv_7")
