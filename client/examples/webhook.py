"""Receives offers by webhook and accepts them over HTTP, with the standard library alone.

Needs SELFSAME_URL, SELFSAME_TOKEN and SELFSAME_WEBHOOK_SECRET (the content of data/webhook.secret).
Prints where it listens, and then each piece of work that it took.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

from selfsame import Desk, Refused

SECRET = base64.b64decode(os.environ["SELFSAME_WEBHOOK_SECRET"].strip().removeprefix("whsec_"))
TOLERANCE = 300
MOST_BYTES = 65_536
desk = Desk(os.environ["SELFSAME_URL"], os.environ["SELFSAME_TOKEN"])


def is_genuine(headers, body):
    sent, at, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not at.isdigit() or abs(time.time() - int(at)) > TOLERANCE:
        return False
    digest = hmac.new(SECRET, f"{sent}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, each.encode()) for each in signatures.split())


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(min(length, MOST_BYTES))
        if length > MOST_BYTES or not is_genuine(self.headers, body):
            return self.answer(401)
        try:
            # The same request id: an offer that is delivered twice is accepted once.
            work = desk.accept(json.loads(body)["data"]["id"], request="webhook")
            print("took", work["handoff"]["id"], "of", work["user"], flush=True)
        except Refused as refused:
            print("not taken:", refused.code, flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}/offers", flush=True)
server.serve_forever()
