"""Sets a field in the metadata of a user, and sends no other one: metadata-overwritten.py plan pro"""

import sys

from client import call

field, value = sys.argv[1:]
call("PATCH", "/users/usr_ada", {"metadata": {field: value}})
