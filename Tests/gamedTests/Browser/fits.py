"""Everything fits the screen at five sizes: an hour in its ring, two countdowns, six teams' scores.

No shipped flow has a state with two countdowns: the second one is added to what `status` answers,
on its way to the page.
"""

import json
import os

from browser import check, see, tell

# Both schemes in `make test-long`: they differ in colours alone.
THEMES = ("light", "dark") if os.environ.get("GAMED_TEST_LONG") else ("light",)
SIZES = [(1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
if "GAMED_TEST_LONG" not in os.environ:
    # The smallest of each shape.
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

# What is cut off or lies outside of the screen, as sentences. `wanted` are elements of which all has
# to be seen at once; `reachable` ones may be scrolled to, but only up and down.
FAULTS = """([wanted, reachable]) => {
    const faults = [];
    const seen = selector =>
        [...document.querySelectorAll(selector)].filter(each => each.checkVisibility());
    const named = each =>
        `${each.tagName.toLowerCase()} ${each.ariaLabel || each.name || each.textContent.trim()}`;
    const isWithin = (inner, outer) => inner.left >= outer.left - 1 && inner.top >= outer.top - 1
        && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const each of seen(wanted)) {
        const place = each.getBoundingClientRect();
        if (!isWithin(place, screen)) faults.push(`${named(each)} is outside of the screen`);
        for (let outer = each.parentElement; outer; outer = outer.parentElement) {
            if (getComputedStyle(outer).overflow === 'visible') continue;
            if (!isWithin(place, outer.getBoundingClientRect()))
                faults.push(`${named(each)} is cut off by ${outer.className || outer.id}`);
        }
    }
    for (const each of seen(reachable)) {
        const { left, right } = each.getBoundingClientRect();
        if (left < -1 || right > innerWidth + 1) faults.push(`${named(each)} is beside the screen`);
    }
    for (const ring of seen('.ring.countdown')) {
        const [dial, digits] = ['.dial', '.digits']
            .map(part => ring.querySelector(part).getBoundingClientRect());
        // The ring's line is 7 of 120 wide, and lies at the edge.
        const inner = dial.width / 2 * 101 / 120;
        const corner = Math.hypot(digits.width / 2, digits.height * 0.37);
        if (corner > inner) faults.push(`${digits.width} px of digits in a ring of ${dial.width} px`);
    }
    const parts =
        seen('.ring, .hand button, #state, #board .data, .presses button, .presses input');
    for (const [place, one] of parts.entries()) {
        for (const other of parts.slice(place + 1)) {
            const [a, b] = [one, other].map(each => each.getBoundingClientRect());
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
                && b.top < a.bottom - 1) faults.push(`${named(one)} covers ${named(other)}`);
        }
    }
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) faults.push('the page is too wide');
    if (document.querySelector('#board') && page.scrollHeight > innerHeight)
        faults.push('the page is too high');
    return faults;
}"""

CONTROLS = "button, input, select, textarea, summary"
PLAYED = f"#board :is({CONTROLS}, .ring, #state, .data > div, .data li)"
# What is not to be pressed now may lie below, on a phone.
OPERATED = "#now :is(button, input, select, textarea, .ring, #state)"


def check_fit(page, wanted, reachable, what):
    # The clocks and the buttons are drawn in the frames after what was waited for.
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
    """The players' page and the desk with a session on show, of which `prepare` sees to the rest."""
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
    """What `status` answers, with a second countdown of an hour."""
    answer = route.fetch()
    if route.request.post_data_json.get("method") != "status" or not answer.ok:
        return route.fulfill(response=answer)
    body = answer.json()
    second = {"fires": "lastCall", "kind": "countdown", "paused": False}
    second |= {"remainingMs": HOUR_MS, "totalMs": HOUR_MS}
    body["result"]["timers"].append(second)
    route.fulfill(response=answer, body=json.dumps(body))


def two_countdowns(stage):
    """Has the page ask for the session again, and get a second countdown."""

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
