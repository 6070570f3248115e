"""Counts an order of a user: count-orders.py ord_1"""

import sys

from client import call

orders = call("GET", "/users/usr_ada")["metadata"].get("orders", 0)
call("PATCH", "/users/usr_ada", {"metadata": {"orders": orders + 1}})
print(f"{sys.argv[1]} is order {orders + 1}")
