"""gamed, and its messages."""
import json
import re
import time

from shared.processes import LAST_CORE, Server, connect


class Gamed(Server):
    """A daemon without a session, at a UNIX socket."""

    def __init__(self, bench, *options, config="", core=LAST_CORE, first_seconds=60):
        bench.version("gamed", [bench.gamed, "--version"])
        address = bench.new_path(".sock")
        config_path = bench.new_path(".conf")
        with open(config_path, "w", encoding="utf-8") as file:
            file.write(config)
        super().__init__([bench.gamed, "--no-main", "--socket", address, "--config", config_path, *options], address, core=core,
                         folder=bench.folder, first_seconds=first_seconds)

    @property
    def web(self):
        """HOST:PORT of its HTTP server, which chooses a free port and logs it."""
        for _ in range(500):
            if found := re.search(r"web at https?://(127\.0\.0\.1:\d+)", self.log):
                return found[1]
            time.sleep(0.01)
        raise RuntimeError(f"no address of the web server:\n{self.log}")

    def ask(self, line):
        """Sends a line of the text dialect, and returns the result."""
        with connect(self.address) as client:
            client.sendall(line.encode() + b"\n")
            with client.makefile() as replies:
                reply = replies.readline()
        if not reply.startswith("OK"):
            raise RuntimeError(f"{line}: {reply}")
        return json.loads(reply[3:])


def message(method, **params):
    """A request of JSON-RPC. `%d` in a name becomes the number of a session or a connection."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, separators=(",", ":"))


def sends(session):
    """Two events that change the state in turn: introduction to help, whose countdown is set, and back."""
    return [message("send", session=session, event="displayHelp"), message("send", session=session, event="dismissHelp")]


def open_sessions(bench, server, count, **params):
    """Opens the sessions s0000000 and so on, and returns the server's CPU time for one in nanoseconds."""
    return bench.load(server, min(200, count), count, [message("open", session="s%d", **params)], "-s", count)


def reset_sessions(bench, server, count):
    """Takes sessions back to the state in which they were opened, because a load begins with the same event for each of them."""
    bench.load(server, min(200, count), count, [message("goto", session="s%d", state="introduction")], "-s", count)
