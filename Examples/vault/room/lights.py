#!/usr/bin/env python3
"""Prints the OSC messages that arrive, as a lighting desk would carry them out: `lights.py PORT`."""
import socket
import sys

receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", int(sys.argv[1])))
while True:
    message, _ = receiver.recvfrom(65_536)
    print("lights:", message.split(b"\0", 1)[0].decode(), flush=True)
