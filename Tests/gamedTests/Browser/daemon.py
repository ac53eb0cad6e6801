"""Control of the daemon process: a script can kill it and start it again with the same addresses and options."""

import os
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.parse

from browser import Failed

TIMEOUT_S = 60


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
        # The process that `start` has started; None until then, because the Swift test started the first daemon.
        self.child = None

    def kill(self):
        """Kills the daemon with SIGKILL, and waits until it has ended."""
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            return
        # Until the process has ended, it holds the state directory and the addresses.
        process = os.pidfd_open(self.pid)
        try:
            os.kill(self.pid, signal.SIGKILL)
            select.select([process], [], [], TIMEOUT_S)
        finally:
            os.close(process)

    def start(self):
        """
        Starts the daemon again, and waits until it answers a request. Tries again if the daemon ends: for a moment, the
        connection of another process can use the daemon's port as its local port.
        """
        deadline = time.monotonic() + TIMEOUT_S
        errors = ""
        while time.monotonic() < deadline:
            with tempfile.TemporaryFile() as log:
                self.child = subprocess.Popen([self.program, *self.arguments], stdout=log, stderr=log)
                if self._answers(deadline):
                    return
                log.seek(0)
                errors = log.read().decode(errors="replace")
            time.sleep(0.1)
        raise Failed(f"the daemon does not start again: {errors}")

    def _answers(self, deadline):
        """Waits until the daemon answers a request. Returns false if the daemon ends first, or at the deadline."""
        while self.child.poll() is None and time.monotonic() < deadline:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(self.path)
                    connection.sendall(b"ping\n")
                    if connection.recv(64).startswith(b"OK"):
                        return True
            except OSError:
                pass
            time.sleep(0.02)
        return False

    def stop(self):
        """Ends the daemon if this script has started it."""
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()
            self.child.wait()
