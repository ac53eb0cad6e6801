"""Receives webhooks, verifies them with standardwebhooks, and prints one line for each request."""
import http.server
import json
import sys

from standardwebhooks.webhooks import Webhook

secret, answers = sys.argv[1], [int(word) for word in sys.argv[2:]]


class Receiver(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = Webhook(secret).verify(body, dict(self.headers.items()))
            said = "verified " + event["type"] + " " + json.dumps(event["data"]["args"])
        except Exception as error:  # noqa: BLE001
            said = "unverified " + type(error).__name__ + " " + body.decode()
        print(self.command, self.path, self.headers["webhook-id"], said, flush=True)
        status = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        if status // 100 == 3:
            self.send_header("Location", "http://127.0.0.1:1/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print("port", server.server_port, file=sys.stderr, flush=True)
server.serve_forever()
