"""A shop with Flask."""

import os

from flask import Flask

from pay import pay

app = Flask(__name__)


@app.post("/orders/<order>/pay")
def pay_order(order):
    try:
        return pay(order)
    except (OSError, ValueError) as error:
        return str(error), 503


app.run(port=int(os.environ["PORT"]))
