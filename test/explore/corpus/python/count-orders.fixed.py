"""Notes an order of a user, in a field of its own. Who needs the number of orders, counts the fields: count-orders.py ord_1"""

import sys

from client import call

user = call("PATCH", "/users/usr_ada", {"metadata": {sys.argv[1]: "ordered"}})
print(f"{len(user['metadata'])} orders")
