"""An MQTT broker that violates the protocol, with each connection in a different way: broken_broker.py PORT."""

import socket
import sys

# The response to the first packet of each connection.
RESPONSES = [
    b"\x20\x02\x00\x05",  # CONNACK: not authorized
    b"\x30\x03\x00\x01a",  # PUBLISH before CONNACK
    b"\x20\x02\x00\x00" b"\x20\x02\x00\x00",  # two CONNACK packets
    b"\x20\x02\x00\x00" b"\x30\xff\xff\xff\xff\xff",  # CONNACK, then a length of too many bytes
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
]

server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("ready", file=sys.stderr, flush=True)
for response in RESPONSES:
    client, _ = server.accept()
    client.recv(1024)
    client.sendall(response)
    while client.recv(1024):
        pass
    client.close()
