"""The session of a kiosk is closed and opened repeatedly. The kiosk shows it each time, and has one connection."""

import urllib.request

from browser import Failed, see, tell

EVENINGS = 6
PATIENCE = 2000


def streams(stage):
    """The number of the daemon's open event streams."""
    with urllib.request.urlopen(f"{stage.base}/metrics", timeout=60) as response:
        lines = response.read().decode().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("gamed_web_streams "))


def run(stage):
    stage.open()
    kiosk = stage.kiosk()
    see(kiosk, "#state", "Introduction")
    for _ in range(EVENINGS):
        stage.server.call("close", session=stage.name)
        stage.open()
        stage.server.send(stage.name, "displayHelp")
        see(kiosk, "#state", "Help")
    # The daemon notices a closed connection a moment after the browser has closed it.
    for _ in range(PATIENCE):
        if streams(stage) == 1:
            return
    raise Failed(f"{streams(stage)} streams are open for one kiosk")


tell("reopened", run)
