"""The pages fit the screen at five sizes, with a countdown of an hour, two countdowns, and the scores of six teams.

No shipped flow has a state with two countdowns, so the second one is added to the page's response of `status`.
"""

import json
import os

from browser import check, see, tell
from fitting import FAULTS

# Only `make test-long` tries both colour schemes, which have the same sizes.
THEMES = ("light", "dark") if os.environ.get("GAMED_TEST_LONG") else ("light",)
SIZES = [(1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
if "GAMED_TEST_LONG" not in os.environ:
    # The smallest screen of each shape.
    SIZES = [(1024, 600), (390, 844)]
SCORES = {
    "The Quizzards": 4,
    "Les Quizerables": 3,
    "Agatha Quiztie": 2,
    "Quiz Pro Quo": 2,
    "Trivia Newton John": 1,
    "bob": 1,
}
HOUR_MS = 3_600_000

CONTROLS = "button, input, select, textarea, summary"
PLAYED = f"#board :is({CONTROLS}, .ring, #state, .data > div, .data li)"
# On a phone, elements that cannot be pressed now may be below the screen.
OPERATED = "#now :is(button, input, select, textarea, .ring, #state)"


def check_fit(page, wanted, reachable, what):
    # The clocks and the buttons are drawn some frames after the elements for which the script has waited.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    faults = page.evaluate(FAULTS, [wanted, reachable])
    check(not faults, f"{what}: {'; '.join(faults)}")


def check_sizes(page, wanted, what):
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            check_fit(page, wanted, CONTROLS, f"{what}, {theme}, {width}x{height}")


def both_pages(stage, session, what, prepare):
    """Checks the players' page and the desk with a session. `prepare` brings each page into the state to check."""
    page = stage.page()
    page.goto(f"{stage.base}/play/{session}#token={stage.token}")
    see(page, "#board button[data-event]")
    prepare(page)
    check_sizes(page, PLAYED, f"players' page with {what}")
    page.context.close()

    page = stage.desk(session=session)
    see(page, "#now button[data-event]")
    prepare(page)
    check_sizes(page, OPERATED, f"desk with {what}")
    page.context.close()


def add_countdown(route):
    """Adds a second countdown, of an hour, to the response of `status`."""
    answer = route.fetch()
    if route.request.post_data_json.get("method") != "status" or not answer.ok:
        return route.fulfill(response=answer)
    body = answer.json()
    second = {"fires": "lastCall", "kind": "countdown", "paused": False}
    second |= {"remainingMs": HOUR_MS, "totalMs": HOUR_MS}
    body["result"]["timers"].append(second)
    route.fulfill(response=answer, body=json.dumps(body))


def two_countdowns(stage):
    """Makes the page request the session again, and adds a second countdown to the response."""

    def prepare(page):
        page.route("**/v1/rpc", add_countdown)
        order = {"session": stage.name, "fires": "timeUp"}
        stage.server.call("timer", **order, action="restart")
        see(page, ".ring[data-fires=lastCall] .digits", "1:00:00")
        see(page, ".ring[data-fires=timeUp] .digits", "1:00:00")

    return prepare


def run(stage):
    game = stage.open_in_a_level()
    order = {"session": game, "fires": "timeUp", "action": "extend"}
    stage.server.call("timer", **order, by="58m30s")
    quiz = f"{game}-quiz"
    stage.server.call("open", session=quiz, flow="quiz")
    data = {"round": 3, "rounds": 10, "scores": SCORES, "out": ["Quiz Pro Quo", "bob"]}
    locked = {**data, "player": "Trivia Newton John", "remainingMs": 9000}

    def shows(text):
        return lambda page: see(page, ".ring[data-fires=timeUp] .digits", text)

    both_pages(stage, game, "an hour", shows("1:00:00"))
    both_pages(stage, game, "two countdowns of an hour", two_countdowns(stage))
    stage.server.call("goto", session=quiz, state="question", data=data)
    both_pages(stage, quiz, "six teams", shows("0:20"))
    stage.server.call("goto", session=quiz, state="locked", data=locked)
    both_pages(stage, quiz, "six teams and an answer", lambda page: see(page, "#state", "Locked"))
    stage.server.call("close", session=quiz)


tell("fits", run)
