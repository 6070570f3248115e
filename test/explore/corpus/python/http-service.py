"""A shop with Python's http.server."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pay import pay


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            status, text = 200, pay(self.path.split("/")[2])
        except (OSError, ValueError) as error:
            status, text = 503, str(error)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
