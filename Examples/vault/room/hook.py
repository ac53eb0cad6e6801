#!/usr/bin/env python3
"""Receives webhooks and checks their signatures: `hook.py PORT SECRET_FILE`."""
import base64
import hashlib
import hmac
import http.server
import json
import sys

with open(sys.argv[2], encoding="ascii") as file:
    signing_key = base64.b64decode(file.read().strip().removeprefix("whsec_"))


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        parts = [self.headers["webhook-id"], self.headers["webhook-timestamp"], body.decode()]
        digest = hmac.new(signing_key, ".".join(parts).encode(), hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        is_authentic = expected in self.headers["webhook-signature"].split()
        data = json.loads(body)["data"]
        print("webhook:", data["state"], data["data"].get("team"), "signed" if is_authentic else "FORGED", flush=True)
        self.send_response(204 if is_authentic else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
