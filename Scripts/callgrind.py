"""A daemon of the release build under callgrind, for the scripts that look at what it executes. Needs `make build` and valgrind."""
import collections
import json
import pathlib
import re
import signal
import socket
import subprocess
import time

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / ".build/release/gamed"


class ProfiledDaemon:
    """A daemon with one session, whose state two events change in turn. It is stopped at the end of `with`."""

    def __init__(self, folder, *options):
        """`options` are those of callgrind. The profile is in the file `profile` of the folder; a dump has its number at the end."""
        self.profile = pathlib.Path(folder) / "profile"
        self.path = f"{folder}/socket"
        self.sent_count = 0
        # valgrind cannot read the debug information of Swift.
        subprocess.run(["strip", "-g", "-o", f"{folder}/gamed", PROGRAM], check=True)
        pathlib.Path(f"{folder}/conf").touch()
        # The names must be as the linker knows them.
        self.process = subprocess.Popen(
            ["valgrind", "-q", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={self.profile}", *options,
             f"{folder}/gamed", "--config", f"{folder}/conf", "--socket", self.path],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        self.client = socket.socket(socket.AF_UNIX)
        while self.client.connect_ex(self.path) != 0:
            if self.process.poll() is not None:
                raise SystemExit("the daemon does not start")
            time.sleep(0.1)
        self.replies = self.client.makefile("rb")
        return self

    def __exit__(self, *_):
        self.replies.close()
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def control(self, *options):
        """Changes what callgrind does; see callgrind_control(1)."""
        subprocess.run(
            ["callgrind_control", *options, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def send(self, count=1):
        """Sends this number of events in one write, and reads the replies."""
        events = [("displayHelp", "dismissHelp")[number % 2] for number in range(self.sent_count, self.sent_count + count)]
        self.sent_count += count
        self.client.sendall(b"".join(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "send", "params": {"session": "main", "event": event}}).encode() + b"\n"
            for event in events))
        for _ in events:
            reply = self.replies.readline()
            assert b'"result"' in reply, reply


class Profile:
    """What a file of callgrind says of each function: its own instructions, and how often it is called."""

    def __init__(self, path):
        self.instructions, self.calls, self.total = collections.Counter(), collections.Counter(), 0
        names, caller, called = {}, None, None
        for line in path.read_text(errors="replace").splitlines():
            # `fn=(12) NAME` defines the name of a function, `cfn=` that of a called one; a recursion has a quote and its depth.
            if match := re.match(r"(c?)fn=\((\d+)\)(?: ([^']+))?", line):
                if match[3]:
                    names[match[2]] = match[3]
                if match[1]:
                    called = names[match[2]]
                else:
                    caller = names[match[2]]
            elif line.startswith("calls="):
                self.calls[called] += int(line[6:].split()[0])
            elif line.startswith("totals:"):
                self.total = int(line.split()[1])
            elif re.match(r"[\d+*-]", line):
                # The line after a call has the cost of the call.
                if called is None:
                    self.instructions[caller] += int(line.split()[1])
                called = None
