"""A worker that creates a link unless another one has claimed the work in a database. Usage: claim.py VERSION FILE.

The fixed version claims the work in one transaction. The buggy one looks first, and claims it after its next call.
"""

import http.client
import json
import os
import sqlite3
import sys
from urllib.parse import urlsplit

version, path = sys.argv[1:]
base = urlsplit(os.environ["BASE_URL"])
connection = http.client.HTTPConnection(base.netloc)


def call(method, path, body=None):
    headers = {"Authorization": "Bearer any", "Accept": "application/json", "Content-Type": "application/json"}
    connection.request(method, f"{base.path}/projects/acme{path}", body and json.dumps(body), headers)
    response = connection.getresponse()
    response.read()
    if response.status >= 300:
        sys.exit(f"status {response.status}")


def transact(statement):
    """Runs a statement in a transaction of its own. Returns the number of rows that it found or added."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("begin immediate")
    database.execute("create table if not exists claims (work text primary key)")
    cursor = database.execute(statement)
    count = max(cursor.rowcount, len(cursor.fetchall()))
    database.execute("commit")
    return count


def claim():
    return transact("insert or ignore into claims values ('link')") == 1


call("GET", "/users")
is_claimed = transact("select * from claims") == 1 if version == "buggy" else not claim()
if is_claimed:
    sys.exit()
call("GET", "/users")
if version == "buggy":
    claim()
call("POST", "/paymentLinks", {"invoice": "inv_77", "type": "partner", "partner": {"user": {}}})
