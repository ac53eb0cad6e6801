"""A daemon of the release build under callgrind, for the scripts that look at what it executes. Needs `make build` and valgrind."""
import collections
import pathlib
import re
import subprocess

from daemon import Daemon, request

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / ".build/release/gamed"


class ProfiledDaemon(Daemon):
    """A daemon with one session, whose state two events change in turn."""

    def __init__(self, folder, *options):
        """`options` are those of callgrind. The profile is in the file `profile` of the folder; a dump has its number at the end."""
        self.profile = pathlib.Path(folder) / "profile"
        self.sent_count = 0
        # valgrind cannot read the debug information of Swift.
        subprocess.run(["strip", "-g", "-o", f"{folder}/gamed", PROGRAM], check=True)
        # The names must be as the linker knows them.
        super().__init__(
            folder, "valgrind", "-q", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={self.profile}", *options,
            f"{folder}/gamed")

    def control(self, *options):
        """Changes what callgrind does; see callgrind_control(1)."""
        subprocess.run(
            ["callgrind_control", *options, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def send(self, count=1):
        """Sends this number of events in one write, and reads the replies."""
        events = [("displayHelp", "dismissHelp")[number % 2] for number in range(self.sent_count, self.sent_count + count)]
        self.sent_count += count
        self.ask(*(request("send", session="main", event=event) for event in events))


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
