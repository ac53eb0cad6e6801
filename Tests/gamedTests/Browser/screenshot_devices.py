"""Takes a screenshot of the desk of a quiz with buzzers: screenshot_devices.py OUTDIR BASE_URL TOKEN.

On a fresh daemon with a virtual clock and Examples/buzzers the screenshot is the same each time.
"""

import pathlib
import sys

from browser import expect_visible, run_script

LARGE_SCREEN = {"width": 1600, "height": 1000}


def run(fixture):
    fixture.require_clock("virtual")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    fixture.server.call("advance", by="15s")
    fixture.server.call("bluetooth", action="drop", device="Green buzzer")
    fixture.server.call("advance", by="2s")
    desk = fixture.desk(session="main", viewport=LARGE_SCREEN, reduced_motion="reduce")
    expect_visible(desk, "#diagram .node.present", "locked")
    expect_visible(desk, "#devices", "Green buzzer")
    desk.mouse.move(0, 0)
    desk.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    desk.screenshot(path=folder / "desk-devices.png")


run_script("screenshot_devices", run, first_argument="OUTDIR")
