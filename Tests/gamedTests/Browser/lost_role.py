"""The page shows a role at once when reloaded rules change it: lost_role.py CONFIG BASE_URL TOKEN SOCKET."""

import os
import pathlib
import signal
import socket
import struct
import sys

from browser import gone, see, tell


def process_at(path):
    """The daemon's process id, from the credentials of its socket."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(path)
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("3i", credentials)[0]


def run(stage):
    stage.open()
    desk = stage.desk()
    see(desk, "#who", "desk · operate")
    configuration = pathlib.Path(sys.argv[1])
    rules, daemon = configuration.read_text(), process_at(stage.socket)
    try:
        configuration.write_text(rules.replace("desk operate", "desk observe"))
        os.kill(daemon, signal.SIGHUP)
        see(desk, "#who", "desk · observe")
        gone(desk, "#now .orders")
        gone(desk, "button[data-event]")
        configuration.write_text("".join(rules.splitlines(keepends=True)[1:]))
        os.kill(daemon, signal.SIGHUP)
        see(desk, "#signin-message", "No rule of gamed lets you watch")
    finally:
        configuration.write_text(rules)
        os.kill(daemon, signal.SIGHUP)
    # A user whose rights are restored need not enter the token again.
    see(desk, "#who", "desk · operate")


tell("lost_role", run, needs=3)
