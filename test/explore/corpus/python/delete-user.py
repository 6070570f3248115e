"""Deletes a user: delete-user.py usr_1"""

import sys

from client import call

call("DELETE", f"/users/{sys.argv[1]}")
