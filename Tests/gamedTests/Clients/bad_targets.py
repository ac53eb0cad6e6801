"""Prints the ports of three broken targets of webhooks, and serves these targets until it is killed.

The first target accepts no connection, the second never answers, and the third sends an endless response.
"""
import socket
import sys
import threading

closed_port = socket.socket()
closed_port.bind(("127.0.0.1", 0))
silent_server = socket.create_server(("127.0.0.1", 0))
endless_server = socket.create_server(("127.0.0.1", 0))
silent_connections = []


def accept_silently():
    while True:
        silent_connections.append(silent_server.accept()[0])


def send_endless_response(client):
    try:
        client.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            client.sendall(b"X: y\r\n" * 100)
    except OSError:
        client.close()


threading.Thread(target=accept_silently, daemon=True).start()
ports = [str(target.getsockname()[1]) for target in (closed_port, silent_server, endless_server)]
sys.stderr.write("ports " + " ".join(ports) + " ready\n")
sys.stderr.flush()
while True:
    threading.Thread(target=send_endless_response, args=(endless_server.accept()[0],), daemon=True).start()
