"""Receives webhooks at two ports, A and B. Writes a line to the file PATH for each request. The line has the letter of the
port, the status of the response, and the webhook id.

    targets.py PATH COUNT

The program answers 503 until it reads a line from standard input, and then 200. It prints a line when a port has answered
COUNT different ids with 200, and again at each multiple of COUNT.
"""
import http.server
import sys
import threading

status = 503
ids = {"A": set(), "B": set()}
log = open(sys.argv[1], "w", encoding="ascii")


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        log.write(f"{self.server.letter} {status} {self.headers['webhook-id']}\n")
        log.flush()
        if status == 200:
            ids[self.server.letter].add(self.headers["webhook-id"])
            count = len(ids[self.server.letter])
            if count % int(sys.argv[2]) == 0:
                sys.stderr.write(f"{self.server.letter} has {count}\n")
                sys.stderr.flush()
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


ports = []
for letter in "AB":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.letter = letter
    ports.append(str(server.server_port))
    threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stderr.write("ports " + " ".join(ports) + " ready\n")
sys.stderr.flush()
sys.stdin.readline()
status = 200
threading.Event().wait()
