#!/usr/bin/env python3
"""Simulates a door with a serial line: `door.py LINK`. LINK becomes a symbolic link to a pseudo terminal, which stands for the
serial port of an Arduino."""
import os
import pty
import sys
import tty

link = sys.argv[1]
door_end, daemon_end = pty.openpty()
tty.setraw(daemon_end)
if os.path.lexists(link):
    os.unlink(link)
os.symlink(os.ttyname(daemon_end), link)
print("door: closed", flush=True)
with os.fdopen(door_end, "rb", buffering=0) as line:
    received = b""
    while True:
        received += line.read(256)
        while b"\n" in received:
            command, received = received.split(b"\n", 1)
            print("door:", command.decode().lower(), flush=True)
