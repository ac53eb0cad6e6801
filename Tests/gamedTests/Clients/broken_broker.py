"""An MQTT broker that refuses its first client, and violates the protocol with each later client: broken_broker.py PORT."""

import socket
import sys

# For each connection, the response to its first packet.
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
