"""Bare libevent: the servers in C beside this package."""
import time

from shared.processes import LAST_CORE, Server

from ..rows import NotMeasured


def note_version(bench):
    bench.version("libevent", ["pkg-config", "--modversion", "libevent"])


class Echo(Server):
    """Sends each line back: echo.c."""

    def __init__(self, bench):
        note_version(bench)
        address = bench.new_path(".sock")
        super().__init__([bench.programs / "echo", address], address, core=LAST_CORE, folder=bench.folder)


class Beats(Server):
    """Writes the beats of many timers to the client that connects to `watched`, and sends lines back: beats.c."""

    def __init__(self, bench, timers, period_ms):
        note_version(bench)
        address = bench.new_path(".sock")
        command = [bench.programs / "beats", address, str(timers), str(period_ms)]
        super().__init__(command, address, core=LAST_CORE, folder=bench.folder)
        self.watched = address + ".beats"


class EvHTTP(Server):
    """Answers each POST with its body: http.c."""

    def __init__(self, bench, core):
        note_version(bench)
        path = bench.new_path()
        self.port_file = path + ".port"
        # The server chooses its port, so it is connected to only when it has written it.
        super().__init__([bench.programs / "http", path], "", core=core, folder=bench.folder)

    def wait_for_connection(self, limit):
        while time.monotonic() - self.began < limit:
            try:
                with open(self.port_file, encoding="ascii") as file:
                    self.address = f"127.0.0.1:{int(file.read())}"
                return super().wait_for_connection(limit)
            except (OSError, ValueError):
                time.sleep(0.01)
        raise NotMeasured("evhttp does not start")
