"""Receives webhooks, verifies them with standardwebhooks, and prints one line for each request: webhooks.py SECRET STATUS…

The receiver answers each request with the next STATUS, and repeats the last STATUS. With the environment variable
CERTIFICATES, the receiver uses TLS with server.pem and server.key of that directory.
"""
import http.server
import json
import os
import ssl
import sys

from standardwebhooks.webhooks import Webhook

secret, statuses = sys.argv[1], [int(argument) for argument in sys.argv[2:]]


class Receiver(http.server.BaseHTTPRequestHandler):
    def receive(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = Webhook(secret).verify(body, dict(self.headers.items()))
            result = "verified " + event["type"] + " " + json.dumps(event["data"]["args"])
        except Exception as error:  # noqa: BLE001
            result = "unverified " + type(error).__name__ + " " + body.decode()
        print(self.command, self.path, self.headers["webhook-id"], result, flush=True)
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        self.send_response(status)
        if status // 100 == 3:
            self.send_header("Location", "http://127.0.0.1:1/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PUT = receive

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
if certificates := os.environ.get("CERTIFICATES"):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(f"{certificates}/server.pem", f"{certificates}/server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("port", server.server_port, file=sys.stderr, flush=True)
server.serve_forever()
