"""A broker that breaks the protocol of MQTT in another way for each connection: broken_broker.py PORT."""

import socket
import sys

ANSWERS = [
    b"\x20\x02\x00\x05",  # not authorized
    b"\x30\x03\x00\x01a",  # a message before the answer
    b"\x20\x02\x00\x00" b"\x20\x02\x00\x00",  # two answers
    b"\x20\x02\x00\x00" b"\x30\xff\xff\xff\xff\xff",  # an endless length
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
]

server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("ready", file=sys.stderr, flush=True)
for answer in ANSWERS:
    client, _ = server.accept()
    client.recv(1024)
    client.sendall(answer)
    while client.recv(1024):
        pass
    client.close()
