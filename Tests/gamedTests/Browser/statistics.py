"""The page of statistics: the figures of `gamectl stats`, selected by flow, time and label, at five sizes, and only for
operators."""

from accessible import inspect
from browser import check, gone, see, tell

SIZES = [(1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
# Returns a sentence for each element that is wider than the screen.
TOO_WIDE = """() => [...document.querySelectorAll('body *')]
    .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
    .map(each => `${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 40)}`)"""


def play(stage, session, seconds, **labels):
    """Plays a quiz of one round that Ann wins."""
    call = stage.server.call
    call("open", session=session, flow="quiz", labels=labels)
    stage.server.send(session, "start", rounds=1)
    call("advance", by=f"{seconds}s")
    stage.server.send(session, "buzz", player="Ann")
    call("say", session=session, text="Well done")
    stage.server.send(session, "judge", correct=True)
    call("advance", by="5s")
    call("close", session=session)


def figures(page, flow):
    rows = page.locator(f"#flows section[data-flow={flow}] tbody tr").all_inner_texts()
    return [row.split("\t") for row in rows]


def check_fits(page):
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate(TOO_WIDE)
            check(not wide, f"statistics, {theme}, {width}x{height}: too wide: {wide}")
        inspect(page, f"statistics, {theme}")


def run(stage):
    stage.needs_clock("virtual")
    quiz = f"{stage.name}-quiz"
    for seconds in (4, 8):
        play(stage, quiz, seconds)
    play(stage, quiz, 15, test="yes")
    stage.open_in_a_level()

    desk = stage.desk()
    desk.click('#roster a[href="/stats"]')
    see(desk, "#flows section[data-flow=quiz] .count", "3 games")
    see(desk, "#flows section[data-flow=quiz] .outcomes", "Finished")
    see(desk, "#flows section[data-flow=quiz] .facts", "not recorded")
    see(desk, "#flows section[data-flow=game] .facts", "1 goto, 0 timer, 0 undo")
    check(["Question", "3", "8 s", "15 s"] in figures(desk, "quiz"), f"{figures(desk, 'quiz')}")

    desk.fill("#choice input", "test")
    desk.press("#choice input", "Enter")
    see(desk, "#flows section[data-flow=quiz] .count", "2 games")
    check(["Question", "2", "4 s", "8 s"] in figures(desk, "quiz"), f"{figures(desk, 'quiz')}")
    desk.select_option("#choice select >> nth=0", "game")
    gone(desk, "#flows section[data-flow=quiz]")
    desk.reload()
    see(desk, "#flows section[data-flow=game]")
    gone(desk, "#flows section[data-flow=quiz]")
    check("without=test" in desk.url, f"the address does not keep the choice: {desk.url}")
    desk.fill("#choice input", "no label")
    desk.press("#choice input", "Enter")
    check(desk.locator("#choice input:invalid").count() == 1, "a label may have a blank")

    desk.goto(f"{stage.base}/stats")
    see(desk, "#flows section[data-flow=quiz]")
    check_fits(desk)

    guest = stage.server.call("token", action="add", name="guest")["token"]
    other = stage.page()
    other.goto(f"{stage.base}/stats#token={guest}")
    see(other, "#signin .message", "No rule of gamed lets you watch")


tell("statistics", run)
