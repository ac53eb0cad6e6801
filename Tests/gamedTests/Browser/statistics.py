"""The page of statistics shows the figures of `gamectl stats` to operators only. The operator selects games by flow
and label, and the page fits five sizes of screens."""

from accessible import check_accessibility
from browser import check, expect_hidden, expect_visible, run_script, wait_until

SIZES = [(1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
# Returns a sentence for each element that is wider than the screen.
FIND_TOO_WIDE = """() => [...document.querySelectorAll('body *')]
    .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
    .map(each => `${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 40)}`)"""


def play_game(fixture, session, seconds, **labels):
    """Plays a quiz of one round that Ann wins."""
    call = fixture.server.call
    call("open", session=session, flow="quiz", labels=labels)
    fixture.server.send(session, "start", rounds=1)
    call("advance", by=f"{seconds}s")
    fixture.server.send(session, "buzz", player="Ann")
    call("say", session=session, text="Well done")
    fixture.server.send(session, "judge", correct=True)
    call("advance", by="5s")
    call("close", session=session)


def expect_row(page, flow, *cells):
    """Waits until the table of a flow has a row with these cells. The page draws the tables again when it knows the titles."""
    script = """([flow, row]) =>
        [...document.querySelectorAll(`#flows section[data-flow=${flow}] tbody tr`)].some(
            each => each.innerText === row)"""
    wait_until(page, script, f"the table of {flow} has no row {cells}", [flow, "\t".join(cells)])


def check_layout(page):
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            too_wide = page.evaluate(FIND_TOO_WIDE)
            check(not too_wide, f"statistics, {theme}, {width}x{height}: too wide: {too_wide}")
        check_accessibility(page, f"statistics, {theme}")


def run(fixture):
    fixture.require_clock("virtual")
    quiz = f"{fixture.session}-quiz"
    for seconds in (4, 8):
        play_game(fixture, quiz, seconds)
    play_game(fixture, quiz, 15, test="yes")
    fixture.open_in_level()

    desk = fixture.desk()
    desk.click('#roster a[href$="/stats"]')
    expect_visible(desk, "#flows section[data-flow=quiz] .count", "3 games")
    expect_visible(desk, "#flows section[data-flow=quiz] .outcomes", "Finished")
    expect_visible(desk, "#flows section[data-flow=quiz] .facts", "not recorded")
    expect_visible(desk, "#flows section[data-flow=game] .facts", "1 goto, 0 timer, 0 undo")
    expect_row(desk, "quiz", "Question", "3", "8.0 s", "15.0 s")

    desk.fill("#choice input", "test")
    desk.press("#choice input", "Enter")
    expect_visible(desk, "#flows section[data-flow=quiz] .count", "2 games")
    expect_row(desk, "quiz", "Question", "2", "4.0 s", "8.0 s")
    desk.select_option("#choice select >> nth=0", "game")
    expect_hidden(desk, "#flows section[data-flow=quiz]")
    desk.reload()
    expect_visible(desk, "#flows section[data-flow=game]")
    expect_hidden(desk, "#flows section[data-flow=quiz]")
    check("without=test" in desk.url, f"the address does not keep the choice: {desk.url}")
    desk.fill("#choice input", "no label")
    desk.press("#choice input", "Enter")
    check(desk.locator("#choice input:invalid").count() == 1, "the page accepts a label with a blank")

    desk.goto(f"{fixture.base_url}/stats")
    expect_visible(desk, "#flows section[data-flow=quiz]")
    check_layout(desk)

    guest_token = fixture.server.call("token", action="add", name="guest")["token"]
    guest_page = fixture.page()
    guest_page.goto(f"{fixture.base_url}/stats#token={guest_token}")
    expect_visible(guest_page, "#signin .message", "No rule of gamed lets you watch")


run_script("statistics", run)
