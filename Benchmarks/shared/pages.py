"""What the measurements of the pages share: a daemon, event streams, a browser, and the lines of a report."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys

from shared.figures import percentile, verdict
from shared.processes import FIRST_CORE, pinned


def launch_browser(playwright):
    """Starts Debian's Chromium, or that of playwright."""
    options = ["--no-sandbox"] if os.getuid() == 0 else []
    path = pathlib.Path("/usr/bin/chromium-headless-shell")
    return playwright.chromium.launch(executable_path=path if path.exists() else None, args=options)


def print_row(title, unit, values, bound=None, percent=50):
    """Prints a line of the report: the median or another percentile, its bound, and the maximum."""
    value = percentile(values, percent)
    judged = "" if bound is None else f"under {bound} {verdict(value < bound)}"
    name = "median" if percent == 50 else f"p{percent}"
    print(f"{title:<44} {name} {value:8.1f} {unit:<3} max {max(values):8.1f}   {judged}")


class PageDaemon:
    """A daemon with the pages and a UNIX socket, on the first core. It may be sent any number of requests."""

    def __init__(self, gamed, folder, *options):
        self.path = os.path.join(folder, "gamed.sock")
        config = os.path.join(folder, "gamed.conf")
        rules = "allow token:desk operate\nallow token:tablet play\nlimit requests=0\n"
        pathlib.Path(config).write_text(rules, encoding="ascii")
        all_options = ["--socket", self.path, "--config", config, "--http", "127.0.0.1:0", *options]
        command = pinned([os.path.abspath(gamed), *all_options], FIRST_CORE)
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            match = re.search(r"web at (http://\S+?)/[ ,\n]", line)
            if match:
                self.web = match.group(1)
            if "listens at" in line:
                break
        self.control = socket.socket(socket.AF_UNIX)
        self.control.connect(self.path)
        self.answers = self.control.makefile()

    def ask(self, line):
        self.control.sendall(line.encode() + b"\n")
        answer = self.answers.readline()
        if not answer.startswith("OK"):
            sys.exit(f"{line}: {answer}")
        return json.loads(answer[3:])

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Stream:
    """An event stream, opened with the request of the players' page."""

    def __init__(self, daemon, session, token):
        host = daemon.web.removeprefix("http://")
        address, port = host.rsplit(":", 1)
        self.socket = socket.create_connection((address, int(port)))
        request = (
            f"GET /v1/events?session={session}&topics=changes%2Cbeats%2Crefusals HTTP/1.1\r\nHost: {host}\r\n"
            f"Accept: text/event-stream\r\nGamed-Page: play.{session}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        self.unfinished_line = b""

    def read(self):
        """Reads the bytes that have arrived, and returns the `seq` of each change in these bytes."""
        data = self.socket.recv(65536)
        if not data:
            sys.exit("a stream has ended")
        lines = (self.unfinished_line + data).split(b"\n")
        self.unfinished_line = lines.pop()
        changes = []
        for line in lines:
            if line.startswith(b'data: {"session"'):
                match = re.search(rb'"seq":(\d+)', line)
                changes.append(int(match.group(1)))
        return changes
