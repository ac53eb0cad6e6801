"""Takes screenshots of the operator's desk and of the players' page (the kiosk), in light and dark:
screenshots.py OUTDIR BASE_URL TOKEN.

On a fresh daemon with a virtual clock the screenshots are the same each time.
"""

import pathlib
import sys

from browser import DESKTOP, PHONE, Refusal, expect_visible, run_script

# The sessions with their flows.
FLOWS = {"room-1": "game", "room-2": "game", "quiz-night": "quiz", "front-door": "registration"}


def reopen(server, session, flow):
    try:
        server.call("close", session=session)
    except Refusal:
        pass
    server.call("open", session=session, flow=flow)


def play_sessions(server):
    """Brings the sessions into different states."""
    for session, flow in FLOWS.items():
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
    # The level is already paused, so the log gets a refusal.
    try:
        server.send("room-1", "pause")
    except Refusal:
        pass
    server.send("room-1", "resume")
    server.call("advance", by="31s")


def run(fixture):
    fixture.require_clock("virtual")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    play_sessions(fixture.server)
    sizes = {"": DESKTOP, "-phone": PHONE, "-wall": {"width": 1920, "height": 1080}}
    for theme in ("light", "dark"):
        for suffix, viewport in sizes.items():
            options = {"viewport": viewport, "color_scheme": theme, "reduced_motion": "reduce"}
            desk = fixture.desk(session="room-1", **options)
            expect_visible(desk, "#diagram .node.present", "playingLevel")
            expect_visible(desk, "#log li", "resume")
            desk.mouse.move(0, 0)
            desk.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            desk.screenshot(path=folder / f"desk-{theme}{suffix}.png")
            kiosk = fixture.page(**options)
            kiosk.goto(f"{fixture.base_url}/play/room-1#token={fixture.token}")
            expect_visible(kiosk, "button[data-event=completeLevel]")
            expect_visible(kiosk, ".ring[data-fires=timeUp]", "0:38")
            kiosk.screenshot(path=folder / f"kiosk-{theme}{suffix}.png")


run_script("screenshots", run, first_argument="OUTDIR")
