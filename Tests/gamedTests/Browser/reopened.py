"""The session of a kiosk is closed and opened repeatedly. The kiosk shows each new session, and keeps only one connection."""

import time
import urllib.request

from browser import TIMEOUT_MS, Failed, expect_visible, run_script

REOPENINGS = 6


def stream_count(fixture):
    """The number of the daemon's open event streams."""
    with urllib.request.urlopen(f"{fixture.base_url}/metrics", timeout=60) as response:
        lines = response.read().decode().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith('gamed_clients{kind="stream"} '))


def run(fixture):
    fixture.open()
    kiosk = fixture.kiosk()
    expect_visible(kiosk, "#state", "Introduction")
    for _ in range(REOPENINGS):
        fixture.server.call("close", session=fixture.session)
        fixture.open()
        fixture.server.send(fixture.session, "displayHelp")
        expect_visible(kiosk, "#state", "Help")
    # The daemon notices a moment later that the browser has closed a connection.
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while time.monotonic() < deadline:
        if stream_count(fixture) == 1:
            return
    raise Failed(f"{stream_count(fixture)} streams are open for one kiosk")


run_script("reopened", run)
