"""Takes screenshots of desk and kiosk, in light and dark: screenshots.py OUTDIR BASE_URL TOKEN.

On a fresh daemon with a virtual clock the pictures are the same each time.
"""

import pathlib
import sys

from browser import DESKTOP, PHONE, Refused, see, tell

ROOMS = {"room-1": "game", "room-2": "game", "quiz-night": "quiz", "front-door": "registration"}


def reopen(server, session, flow):
    try:
        server.call("close", session=session)
    except Refused:
        pass
    server.call("open", session=session, flow=flow)


def play(server):
    """Sessions in several states."""
    for session, flow in ROOMS.items():
        reopen(server, session, flow)
    server.send("quiz-night", "start", rounds=5)
    server.send("quiz-night", "buzz", player="ann")
    server.send("quiz-night", "judge", correct=True)
    server.send("room-2", "startPlaying")
    server.send("front-door", "next")
    server.send("room-1", "startPlaying")
    server.send("room-1", "chooseEpisode", episode=2)
    server.send("room-1", "chooseLevel", level=3)
    server.call("advance", by="21250ms")
    server.send("room-1", "pause")
    try:
        server.send("room-1", "pause")
    except Refused:
        pass
    server.send("room-1", "resume")
    server.call("advance", by="31s")


def run(stage):
    stage.needs_clock("virtual")
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    play(stage.server)
    sizes = {"": DESKTOP, "-phone": PHONE, "-wall": {"width": 1920, "height": 1080}}
    for theme in ("light", "dark"):
        for suffix, viewport in sizes.items():
            options = {"viewport": viewport, "color_scheme": theme, "reduced_motion": "reduce"}
            desk = stage.desk(session="room-1", **options)
            see(desk, "#diagram .node.lit", "playingLevel")
            see(desk, "#log li", "resume")
            desk.mouse.move(0, 0)
            desk.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            desk.screenshot(path=out / f"desk-{theme}{suffix}.png")
            kiosk = stage.page(**options)
            kiosk.goto(f"{stage.base}/play/room-1#token={stage.token}")
            see(kiosk, "button[data-event=completeLevel]")
            see(kiosk, ".ring[data-fires=timeUp]", "0:38")
            kiosk.screenshot(path=out / f"kiosk-{theme}{suffix}.png")


tell("screenshots", run, needs=3)
