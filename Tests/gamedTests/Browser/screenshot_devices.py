"""Takes a screenshot of the desk of a quiz with buzzers: screenshot_devices.py OUTDIR BASE_URL TOKEN.

On a fresh daemon with a virtual clock and Examples/quiz-night the picture is the same each time.
"""

import pathlib
import sys

from browser import see, tell

WIDE = {"width": 1600, "height": 1000}


def run(stage):
    stage.needs_clock("virtual")
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    stage.server.call("advance", by="15s")
    stage.server.call("bluetooth", action="drop", device="Green buzzer")
    stage.server.call("advance", by="2s")
    desk = stage.desk(session="main", viewport=WIDE, reduced_motion="reduce")
    see(desk, "#diagram .node.lit", "locked")
    see(desk, "#devices", "Green buzzer")
    desk.mouse.move(0, 0)
    desk.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    desk.screenshot(path=out / "desk-devices.png")


tell("screenshots", run, needs=3)
