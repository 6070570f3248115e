"""Sets a field in the metadata of a user: metadata-overwritten.py plan pro"""

import sys

from client import call

field, value = sys.argv[1:]
metadata = call("GET", "/users/usr_ada")["metadata"]
metadata[field] = value
call("PATCH", "/users/usr_ada", {"metadata": metadata})
