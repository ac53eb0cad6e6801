#!/usr/bin/env python3
"""Stands for a lighting desk: prints the address of each OSC message that arrives at a UDP port: `lights.py PORT`."""
import socket
import sys

receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", int(sys.argv[1])))
while True:
    message, _ = receiver.recvfrom(65_536)
    print("lights:", message.split(b"\0", 1)[0].decode(), flush=True)
