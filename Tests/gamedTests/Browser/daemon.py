"""Control of the daemon process: a script can kill it and start it again with the same addresses and options."""

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
    """The daemon process that listens at the UNIX socket `path`."""

    def __init__(self, path, base_url):
        self.path = path
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid = struct.unpack("3i", credentials)[0]
        with open(f"/proc/{self.pid}/cmdline", "rb") as file:
            command = file.read().decode().split("\0")[:-1]
        self.program = os.readlink(f"/proc/{self.pid}/exe")
        address = urllib.parse.urlsplit(base_url).netloc
        self.arguments = [address if argument == "127.0.0.1:0" else argument for argument in command[1:]]
        # The process that `start` has started; None while the daemon is the one that the test started.
        self.child = None

    def kill(self):
        """Kills the daemon with SIGKILL."""
        if self.child is None:
            os.kill(self.pid, signal.SIGKILL)
        else:
            self.child.kill()
            self.child.wait()

    def start(self):
        """Starts the daemon again, and waits until it answers a request."""
        self.child = subprocess.Popen([self.program, *self.arguments], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(self.path)
                    connection.sendall(b"ping\n")
                    if connection.recv(64).startswith(b"OK"):
                        return
            except OSError:
                pass
            time.sleep(0.02)
        raise Failed("the daemon does not start again")

    def stop(self):
        """Ends the daemon if this script has started it."""
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()
            self.child.wait()
