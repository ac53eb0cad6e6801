"""The daemon as a process, which is killed and started again in the same state directory."""

import os
import signal
import socket
import subprocess
import time

from violation import expect

#: How long to wait for a start or an end, in seconds.
TIMEOUT = 120


class Daemon:
    """A process of the daemon in a state directory. As a context manager, it is killed at the end of the context.

    A daemon that outlives this script would keep the script's output open, and a test that reads the output would wait forever.
    """

    def __init__(self, program, directory, log):
        # Relative, because the path of a UNIX socket has at most 107 bytes, and the repository may be in a deep folder.
        self.address = os.path.relpath(f"{directory}/s")
        self._log = log
        command = [
            program, "--state-dir", f"{directory}/state", "--socket", self.address,
            "--flows", "Examples/flows"]
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(command, stdout=errors, stderr=errors)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self):
        """Waits until the daemon listens, and returns a connected socket."""
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            client = socket.socket(socket.AF_UNIX)
            try:
                client.connect(self.address)
                client.settimeout(TIMEOUT)
                return client
            except (FileNotFoundError, ConnectionRefusedError):
                client.close()
            expect(self.process.poll() is None, "the daemon does not start", *self._last_log_lines())
            time.sleep(0.002)
        expect(False, "the daemon does not listen", *self._last_log_lines())

    def kill(self):
        """Kills the process with SIGKILL."""
        self.process.kill()
        status = self.process.wait()
        expect(status == -signal.SIGKILL, f"the daemon had ended before: {status}", *self._last_log_lines())

    def end(self):
        """Ends the process with SIGTERM, and checks its status."""
        self.process.terminate()
        status = self.process.wait(TIMEOUT)
        expect(status == 0, f"the daemon did not end cleanly: {status}", *self._last_log_lines())

    def _last_log_lines(self):
        with open(self._log, encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()[-5:]
