"""The pages fit the screen, with a countdown of an hour, two countdowns, a message, and the scores of six teams. No fixed element
lies over a control, not even the note that the screen may go dark.

No shipped flow has a state with two countdowns, so the script adds the second countdown to the server's answer to `status`.
"""

import json
import os

from browser import PHONE, expect_visible, run_script, wait_until
from fitting import SIZES, expect_fit

# Both colour schemes have the same layout, so only `make test-long` tries both schemes.
THEMES = ("light", "dark") if os.environ.get("GAMED_TEST_LONG") else ("light",)
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
BOARD_ELEMENTS = f"#board :is({CONTROLS}, .ring, #state, #host-message, .data > div, .data li)"
# The desk's elements for the present state. Other parts of the desk may be below the screen of a phone.
DESK_ELEMENTS = "#present-state :is(button, input, select, textarea, .ring, #state)"


def check_sizes(page, visible, label):
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            expect_fit(page, visible, CONTROLS, f"{label}, {theme}, {width}x{height}")


def close(page):
    """Closes a page after its changed answers, because the desk asks repeatedly."""
    page.unroute_all(behavior="wait")
    page.context.close()


def check_both_pages(fixture, session, label, prepare):
    """Checks the layout of the players' page and of the desk. `prepare(page)` makes the page ready for the check."""
    page = fixture.page()
    # A browser that cannot keep the screen on shows the note.
    page.add_init_script("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.goto(f"{fixture.base_url}/play/{session}#token={fixture.token}")
    expect_visible(page, "#board button[data-event]")
    expect_visible(page, "#awake-note")
    prepare(page)
    check_sizes(page, BOARD_ELEMENTS, f"players' page with {label}")
    close(page)

    page = fixture.desk(session=session)
    expect_visible(page, "#present-state button[data-event]")
    prepare(page)
    check_sizes(page, DESK_ELEMENTS, f"desk with {label}")
    close(page)


def check_message_on_phone(fixture, session):
    """On a phone that has no place for the message and all buttons, the message and the state are complete."""
    page = fixture.page(viewport=PHONE)
    page.add_init_script("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.goto(f"{fixture.base_url}/play/{session}#token={fixture.token}")
    expect_visible(page, "#host-message")
    expect_visible(page, "#awake-note")
    is_complete = """() => [...document.querySelectorAll('#host-message, .facts')].every(
        each => each.scrollHeight <= each.clientHeight)"""
    wait_until(page, is_complete, "on a phone, the message or the state is cut off")
    expect_fit(page, "#board :is(#host-message, #state, .data, .ring)", "#board .ring", "message on a phone")
    page.context.close()


def check_long_message_on_desk(fixture, session):
    """The line of the desk that says what the players read does not leave the screen."""
    fixture.server.call("say", session=session, text="The lights go out in five minutes; please keep together. " * 3)
    page = fixture.desk(session=session)
    expect_visible(page, ".players-message summary")
    check_sizes(page, DESK_ELEMENTS, "desk with a long message")
    page.context.close()


def add_countdown(route):
    """Adds a second countdown, of an hour, to the response of `status`."""
    response = route.fetch()
    if route.request.post_data_json.get("method") != "status" or not response.ok:
        return route.fulfill(response=response)
    body = response.json()
    countdown = {"fires": "idle", "kind": "countdown", "paused": False}
    countdown |= {"remainingMs": HOUR_MS, "totalMs": HOUR_MS}
    body["result"]["timers"].append(countdown)
    route.fulfill(response=response, body=json.dumps(body))


def prepare_two_countdowns(fixture):
    """Returns a function that adds a second countdown to a page of the game session.

    The function changes each later answer to `status`. Then it restarts the timer, so that the page requests `status`.
    """

    def prepare(page):
        page.route("**/v1/rpc", add_countdown)
        timer = {"session": fixture.session, "fires": "timeUp"}
        fixture.server.call("timer", **timer, action="restart")
        expect_visible(page, ".ring[data-fires=idle] .digits", "1:00:00")
        expect_visible(page, ".ring[data-fires=timeUp] .digits", "1:00:00")

    return prepare


def run(fixture):
    game_session = fixture.open_in_level()
    # The countdown of the level lasts 90 seconds; now it has an hour left.
    timer = {"session": game_session, "fires": "timeUp", "action": "extend"}
    fixture.server.call("timer", **timer, by="58m30s")
    quiz_session = f"{game_session}-quiz"
    fixture.server.call("open", session=quiz_session, flow="quiz")
    data = {"round": 3, "rounds": 10, "scores": SCORES, "out": ["Quiz Pro Quo", "bob"]}
    locked = {**data, "player": "Trivia Newton John", "remainingMs": 9000}

    def wait_for_countdown(text):
        return lambda page: expect_visible(page, ".ring[data-fires=timeUp] .digits", text)

    check_both_pages(fixture, game_session, "an hour", wait_for_countdown("1:00:00"))
    check_both_pages(fixture, game_session, "two countdowns of an hour", prepare_two_countdowns(fixture))
    fixture.server.call("say", session=game_session, text="Look under the rug")
    check_both_pages(fixture, game_session, "a message", wait_for_countdown("1:00:00"))
    check_message_on_phone(fixture, game_session)
    check_long_message_on_desk(fixture, game_session)
    # A state without a timer has another layout.
    fixture.server.call("say", session=quiz_session, text="Look under the rug")
    check_both_pages(fixture, quiz_session, "a message without a timer", lambda page: expect_visible(page, "#state", "Lobby"))
    fixture.server.call("say", session=quiz_session, text="")
    fixture.server.call("goto", session=quiz_session, state="question", data=data)
    check_both_pages(fixture, quiz_session, "six teams", wait_for_countdown("0:20"))
    fixture.server.call("goto", session=quiz_session, state="locked", data=locked)
    check_both_pages(fixture, quiz_session, "six teams and an answer", lambda page: expect_visible(page, "#state", "Locked"))
    fixture.server.call("close", session=quiz_session)


run_script("fits", run)
