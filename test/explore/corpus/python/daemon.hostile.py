"""Leaves the work to a daemon, and ends."""

import os
import time

from client import create_link, links_of

links_of("inv_7", "active")
if os.fork() == 0:
    os.setsid()
    for stream in (0, 1, 2):
        os.close(stream)
    time.sleep(0.3)
    create_link("inv_7")
