"""The daemon of a script, which can be killed and started again with the same addresses and options."""

import os
import signal
import socket
import struct
import subprocess
import time
import urllib.parse

from browser import Failed

PATIENCE_S = 60


class Daemon:
    """The process that listens at a UNIX socket."""

    def __init__(self, path, base):
        self.path = path
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid = struct.unpack("3i", credentials)[0]
        with open(f"/proc/{self.pid}/cmdline", "rb") as file:
            words = file.read().decode().split("\0")[:-1]
        self.program = os.readlink(f"/proc/{self.pid}/exe")
        place = urllib.parse.urlsplit(base).netloc
        self.arguments = [place if word == "127.0.0.1:0" else word for word in words[1:]]
        self.child = None

    def kill(self):
        """Kills it with SIGKILL."""
        if self.child is None:
            os.kill(self.pid, signal.SIGKILL)
        else:
            self.child.kill()
            self.child.wait()

    def start(self):
        """Starts it again, and waits until it answers a request."""
        self.child = subprocess.Popen([self.program, *self.arguments], stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.connect(self.path)
                    peer.sendall(b"ping\n")
                    if peer.recv(64).startswith(b"OK"):
                        return
            except OSError:
                pass
            time.sleep(0.02)
        raise Failed("the daemon does not start again")

    def stop(self):
        """Ends the process that this script started."""
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()
            self.child.wait()
