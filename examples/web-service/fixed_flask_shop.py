"""The shop of flask_shop.py, with an idempotency key: an order has one link, whatever happens."""

import json
import os
import sqlite3
import urllib.request

from flask import Flask

LINKS = f"{os.environ['BASE_URL']}/projects/acme/paymentLinks"
HEADERS = {"authorization": "Bearer any", "accept": "application/json", "content-type": "application/json"}

app = Flask(__name__)


def open_database():
    database = sqlite3.connect("orders.db")
    database.execute("create table if not exists orders (name text primary key, url text)")
    return database


def create_link(order):
    body = json.dumps({"invoice": order, "type": "partner", "partner": {"user": {}}}).encode()
    headers = {**HEADERS, "idempotency-key": f"pay-{order}"}
    with urllib.request.urlopen(urllib.request.Request(LINKS, body, headers)) as response:
        return json.load(response)["paymentUrl"]


@app.post("/orders/<order>/pay")
def pay(order):
    with open_database() as database:
        row = database.execute("select url from orders where name = ?", [order]).fetchone()
        if row is None:
            row = [create_link(order)]
            database.execute("insert or ignore into orders values (?, ?)", [order, row[0]])
    return row[0]
