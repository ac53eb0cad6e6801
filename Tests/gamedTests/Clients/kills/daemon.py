"""The daemon as a process, which is killed and started again in the same state directory."""

import signal
import socket
import subprocess
import time

from violation import expect

PATIENCE = 30


class Daemon:
    """A process of the daemon in a state directory."""

    def __init__(self, program, directory, log):
        self.address = f"{directory}/s"
        self._log = log
        command = [
            program, "--state-dir", f"{directory}/state", "--socket", self.address,
            "--flows", "Examples/flows"]
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(command, stderr=errors)

    def connect(self):
        """A connected socket; waits until the daemon listens."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            client = socket.socket(socket.AF_UNIX)
            try:
                client.connect(self.address)
                client.settimeout(PATIENCE)
                return client
            except (FileNotFoundError, ConnectionRefusedError):
                client.close()
            expect(self.process.poll() is None, "the daemon does not start", *self._last_words())
            time.sleep(0.002)
        expect(False, "the daemon does not listen", *self._last_words())

    def kill(self):
        """Kills it with SIGKILL."""
        self.process.kill()
        status = self.process.wait()
        expect(status == -signal.SIGKILL, f"it had ended before: {status}", *self._last_words())

    def end(self):
        """Ends it cleanly."""
        self.process.terminate()
        status = self.process.wait(PATIENCE)
        expect(status == 0, f"it did not end cleanly: {status}", *self._last_words())

    def _last_words(self):
        with open(self._log, encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()[-5:]
