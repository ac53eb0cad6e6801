"""A daemon with one client, for the scripts that look at what it executes."""
import json
import pathlib
import signal
import socket
import subprocess
import time


def request(method, **parameters):
    """The line of a request."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}, separators=(",", ":")).encode() + b"\n"


class Daemon:
    """A daemon that is started by a command, and is stopped at the end of `with`."""

    def __init__(self, folder, *command, configuration="", environment=None):
        self.path = f"{folder}/socket"
        # Without the option --config, the daemon would read /etc/gamed/gamed.conf.
        pathlib.Path(folder, "conf").write_text(configuration)
        self.command = [*command, "--config", f"{folder}/conf", "--socket", self.path]
        self.environment = environment

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        self.client = socket.socket(socket.AF_UNIX)
        try:
            while self.client.connect_ex(self.path) != 0:
                if self.process.poll() is not None:
                    raise SystemExit("the daemon does not start")
                time.sleep(0.1)
        except BaseException:
            self.process.kill()
            raise
        self.replies = self.client.makefile("rb")
        return self

    def __exit__(self, *_):
        self.replies.close()
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        if status := self.process.wait():
            raise SystemExit(f"the daemon ended with status {status}")

    def ask(self, *requests):
        """Sends these requests in one write, and reads the replies."""
        self.client.sendall(b"".join(requests))
        for _ in requests:
            reply = self.replies.readline()
            assert b'"result"' in reply, reply
