"""Sends bytes over TLS, and ends its side of the connection without the closing message of TLS (close_notify).

Usage: tls_end.py HOST:PORT DIRECTORY

Sends what is on the standard input, as the client `anna` whose certificate is in DIRECTORY. Prints what the server sends until
it ends the connection.
"""

import socket
import ssl
import sys

host, port = sys.argv[1].rsplit(":", 1)
directory = sys.argv[2]
context = ssl.create_default_context(cafile=f"{directory}/ca.pem")
context.load_cert_chain(f"{directory}/anna.pem", f"{directory}/anna.key")
connection = context.wrap_socket(
    socket.create_connection((host, int(port))), server_hostname="localhost")
connection.settimeout(60)
connection.sendall(sys.stdin.buffer.read())
# The method of the class of plain sockets ends TCP alone.
socket.socket.shutdown(connection, socket.SHUT_WR)
while received := connection.recv(65536):
    sys.stdout.buffer.write(received)
