"""Broken targets of webhooks. Prints the ports of three of them, and serves them until it is killed.

The first accepts no connection, the second never answers, and the third sends an endless answer.
"""
import socket
import sys
import threading

dead = socket.socket()
dead.bind(("127.0.0.1", 0))
slow = socket.create_server(("127.0.0.1", 0))
flood = socket.create_server(("127.0.0.1", 0))
held = []


def hold():
    while True:
        held.append(slow.accept()[0])


def pour(client):
    try:
        client.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            client.sendall(b"X: y\r\n" * 100)
    except OSError:
        client.close()


threading.Thread(target=hold, daemon=True).start()
ports = [str(one.getsockname()[1]) for one in (dead, slow, flood)]
sys.stderr.write("ports " + " ".join(ports) + " ready\n")
sys.stderr.flush()
while True:
    threading.Thread(target=pour, args=(flood.accept()[0],), daemon=True).start()
