"""Each state of the lighthouse and of the quiz night fits the players' page, the phone with a buzzer and the wall: on five screens, in
light and dark, in two languages. axe finds no violation there."""

from accessible import check_accessibility
from browser import PHONE, Refusal, expect_visible, run_script, wait_until
from fitting import FIND_COVERED_POINTS, SIZES, expect_fit, expect_no_faults

THEMES = ("light", "dark")
IS_TITLE = "title => document.querySelector('#state').textContent === title"
WALL = {"width": 1920, "height": 1080}
#: What must be on the screen. A wall has no controls; on a page they may be reached by scrolling.
ELEMENTS = "#state, #state-text, #picture, #first-player, .rings .ring, .ranking li, .data .pairs li, .data > div"
CONTROLS = "button, input, select"

SOLVED = ["radio", "chart", "bell"]
LIGHTHOUSE = {
    "reset": {},
    "intro": {"team": "The Lighthouse Keepers"},
    "playing": {"team": "The Lighthouse Keepers", "solved": SOLVED, "hints": 12},
    "halted": {"team": "The Lighthouse Keepers", "solved": SOLVED, "hints": 12},
    "won": {"team": "The Lighthouse Keepers", "solved": SOLVED + ["lens", "lamp"], "hints": 3, "treasure": True, "leftMs": 754_000},
    "lost": {"team": "The Lighthouse Keepers", "solved": SOLVED},
}
SCORES = {"Ann": 40, "Bob": 30, "Cat": 30, "Dan": 20, "Eve": 10, "Maximiliane-Josefine": 0}
QUIZ = {
    "lobby": {"scores": SCORES},
    "question": {"scores": SCORES, "round": 2},
    "answering": {"scores": SCORES, "round": 2, "player": "Maximiliane-Josefine", "remainingMs": 17_000},
    "solution": {"scores": SCORES, "round": 2},
    "over": {"scores": SCORES, "round": 5},
}


def check_page(page, label):
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            screen = f"{label}, {theme}, {width}x{height}"
            if page.locator("button.buzzer").is_visible():
                expect_no_faults(page, screen, lambda: page.evaluate(FIND_COVERED_POINTS))
            else:
                expect_fit(page, ELEMENTS, CONTROLS, screen)
        check_accessibility(page, f"{label}, {theme}")


def shown_title(server, session, state, language):
    """The title of the players' screen: that of the language, unless it is computed."""
    try:
        description = server.call("describe", session=session, language=language)
    except Refusal:
        # The flow has one language only.
        description = server.call("describe", session=session)
    described = next(each for each in description["states"] if each["name"] == state)
    show = server.call("status", session=session).get("show", {})
    return described.get("show", {}).get("title") or show.get("title") or described["title"]


def check_flow(fixture, flow, states, languages):
    session, server = f"{fixture.session}-{flow}", fixture.server
    server.call("open", session=session, flow=flow)
    guest = server.call("token", action="add", name="guest")["token"]
    pages = {}
    for language in languages:
        for kind, query, viewport in (("page", "", PHONE), ("wall", "screen=wall&", WALL)):
            page = fixture.page(viewport=viewport, locale=language)
            page.goto(f"{fixture.base_url}/play/{session}?{query}language={language}#token={guest}")
            if kind == "page" and flow == "quiz-night":
                expect_visible(page, ".buzzer-name")
                page.fill("input[name=player]", "Ann")
                page.press("input[name=player]", "Enter")
            pages[f"{flow}, {kind}, {language}"] = (page, language)
    for state, data in states.items():
        server.call("goto", session=session, state=state, data=data)
        for label, (page, language) in pages.items():
            title = shown_title(server, session, state, language)
            wait_until(page, IS_TITLE, f"{label}, {state}: the title is not {title}", title)
            check_page(page, f"{label}, {state}")
        page.set_viewport_size(WALL)
        fixture.save_picture(page, f"{flow}-{state}-wall-{languages[-1]}")
    for page, _ in pages.values():
        page.context.close()
    server.call("token", action="remove", name="guest")
    server.call("close", session=session)


def run(fixture):
    check_flow(fixture, "lighthouse", LIGHTHOUSE, ["en", "de"])
    check_flow(fixture, "quiz-night", QUIZ, ["en", "de"])


run_script("each_state", run)
