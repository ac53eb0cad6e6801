"""Takes screenshots of a quiz night, on the wall, on a phone and at the desk: screenshot_quiz.py OUTDIR BASE_URL TOKEN.

On a fresh daemon with a virtual clock and Examples/quiz-night the screenshots are the same each time.
"""

import pathlib
import sys

from browser import PHONE, Refusal, expect_visible, run_script

WALL = {"width": 1280, "height": 720}
DESK = {"width": 1280, "height": 1000}
SESSION = "quiz"
PLAYERS = ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay"]


def press(server, player, later):
    """Presses a buzzer some milliseconds after the previous press. A refused press is part of the picture."""
    server.call("advance", by=f"{later}ms")
    try:
        server.send(SESSION, "buzz", player=player)
    except Refusal:
        pass


def run(fixture):
    fixture.require_clock("virtual")
    folder = pathlib.Path(sys.argv[1])
    server = fixture.server
    wall = fixture.page(viewport=WALL, reduced_motion="reduce")
    wall.goto(f"{fixture.base_url}/play/{SESSION}?screen=wall#token={fixture.token}")
    phone = fixture.page(viewport=PHONE, reduced_motion="reduce")
    guest = server.call("token", action="add", name="guest")["token"]
    phone.goto(f"{fixture.base_url}/play/{SESSION}#token={guest}")
    phone.fill("input[name=player]", "Ann")
    phone.click("text=Ready")
    # The buzzer fills the screen, also above the note that the screen may go dark.
    phone.evaluate("document.querySelector('#awake-note button').click()")
    for player in PLAYERS:
        server.send(SESSION, "buzz", player=player)
    server.send(SESSION, "begin")
    server.send(SESSION, "buzz", player="Bob")
    server.send(SESSION, "right")
    server.send(SESSION, "next")
    server.call("advance", by="4s")
    expect_visible(wall, "#picture")
    wall.screenshot(path=folder / "quiz-wall.png")
    expect_visible(phone, ".buzzer.ready")
    phone.screenshot(path=folder / "quiz-phone.png")

    phone.locator("button[data-event=buzz]").dispatch_event("pointerdown", {"isPrimary": True})
    expect_visible(phone, ".buzzer.first")
    phone.screenshot(path=folder / "quiz-phone-first.png")
    for player, later in (("Dan", 14), ("Bob", 23), ("Eve", 61)):
        press(server, player, later)
    desk = fixture.desk(session=SESSION, viewport=DESK, reduced_motion="reduce")
    expect_visible(desk, ".pressorder li", "Eve")
    expect_visible(desk, "#diagram .node.present", "answering")
    desk.mouse.move(0, 0)
    desk.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    desk.screenshot(path=folder / "quiz-desk.png")

    for event in ("right", "next", "skip", "next", "skip", "next"):
        server.send(SESSION, event)
    # Ann and Bob have the same points, and play for the first place.
    expect_visible(wall, "#state", "For the first place")
    server.send(SESSION, "buzz", player="Ann")
    server.send(SESSION, "right")
    server.send(SESSION, "next")
    expect_visible(wall, ".ranking .winner", "Ann")
    wall.screenshot(path=folder / "quiz-ranking.png")


run_script("screenshot_quiz", run, first_argument="OUTDIR")
