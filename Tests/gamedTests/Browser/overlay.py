"""The overlay is transparent, has no controls and sends nothing. An own page in it gets snapshot and changes, and has no origin."""

import crowd
from browser import check, expect_hidden, expect_visible, run_script, wait_until
from fitting import expect_no_faults

PICTURE = {"width": 1920, "height": 1080}

#: The smallest part of the picture that stays free above what is shown.
FREE = 0.35
NAMES = crowd.names(25)


def check_many(fixture, overlay, selector, name):
    """Checks that many names are whole, and leave the upper part of the picture free."""
    script = """selector => {
        const rows = [...document.querySelectorAll(`${selector} li`)].filter(each => each.checkVisibility());
        const more = rows.find(each => each.matches('.more'));
        const names = rows.filter(each => each !== more);
        const isCut = row => {
            const box = row.getBoundingClientRect();
            const outer = row.closest('.data, .ranking').getBoundingClientRect();
            return box.top < outer.top - 1 || box.bottom > Math.min(outer.bottom, innerHeight) + 1;
        };
        const hasTwoLines = row => row.getBoundingClientRect().height > 2 * parseFloat(getComputedStyle(row).fontSize);
        const parts = [...document.querySelector('#board .facts').children].filter(each => each.id !== 'show-title');
        const top = Math.min(...parts.filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect().top));
        return { count: names.length, more: more?.textContent ?? '', free: top / innerHeight,
            cut: rows.filter(row => isCut(row) || hasTwoLines(row)).map(each => each.textContent) };
    }"""
    for width, height in [(1280, 720), (1920, 1080)]:
        overlay.set_viewport_size({"width": width, "height": height})

        def find_faults():
            shown = overlay.evaluate(script, selector)
            rest = len(NAMES) - shown["count"]
            is_right = shown["more"] == (f"and {rest} more" if rest else "")
            is_right = is_right and shown["count"] >= 8 and not shown["cut"] and shown["free"] >= FREE
            return [] if is_right else [str(shown)]

        expect_no_faults(overlay, f"{name}, {height}", find_faults)
        fixture.save_picture(overlay, f"overlay-{name}-{height}")


def show_many(fixture, guest):
    """25 players in the lobby and at the end."""
    session, server = f"{fixture.session}-many", fixture.server
    server.call("open", session=session, flow="quiz-night")
    overlay = fixture.page(viewport=PICTURE)
    overlay.goto(f"{fixture.base_url}/overlay/{session}#token={guest}")
    for name in NAMES:
        server.send(session, "buzz", player=name)
    wait_until(overlay, f"() => document.querySelectorAll('.pairs li:not(.more)').length === {len(NAMES)}", "not all players are in the lobby")
    expect_visible(overlay, ".join-code")
    overlay.evaluate("document.body.style.background = 'linear-gradient(60deg, #ddd, #357, #fc5)'")
    check_many(fixture, overlay, ".pairs", "lobby")
    crowd.play_to_end(server, session, NAMES[-1])
    expect_visible(overlay, ".ranking .winner", NAMES[-1])
    check_many(fixture, overlay, ".ranking", "ranking")
    server.call("close", session=session)


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="quiz-night")
    guest = server.call("token", action="add", name="guest")["token"]
    overlay = fixture.page(viewport=PICTURE)
    overlay.goto(f"{fixture.base_url}/overlay/{session}#token={guest}")
    expect_visible(overlay, "#state", "Welcome")
    server.send(session, "buzz", player="Ann")
    server.send(session, "begin")
    expect_visible(overlay, "#state-text", "How many legs")
    background = overlay.evaluate("[document.documentElement, document.body].map(each => getComputedStyle(each).backgroundColor)")
    check(background == ["rgba(0, 0, 0, 0)"] * 2, f"the background is {background}")
    check(overlay.locator("button:visible").count() == 0, "the overlay has buttons")
    overlay.evaluate("document.body.style.background = 'linear-gradient(60deg, #ddd, #357, #fc5)'")
    fixture.save_picture(overlay, "overlay")

    # An own page gets the stream, and can neither read the cookie nor send.
    own = fixture.page(viewport=PICTURE)
    own.goto(f"{fixture.base_url}/overlay/{session}?page=own.html#token={guest}")
    frame = own.frame_locator("iframe")
    frame.locator("#state").filter(has_text="question").wait_for()
    frame.locator("#first").filter(has_text="snapshot").wait_for()
    check(frame.locator("#origin").inner_text() == "null", "the own page has an origin")
    server.send(session, "buzz", player="Ann")
    frame.locator("#state").filter(has_text="answering").wait_for()
    frame.locator("#send").filter(has_text="refused").wait_for()
    expect_hidden(own, "#board")
    # The example of Examples/cases lists the players.
    scores = fixture.page(viewport=PICTURE)
    scores.goto(f"{fixture.base_url}/overlay/{session}?page=scores.html#token={guest}")
    scores.frame_locator("iframe").locator("h1").filter(has_text="Ann").wait_for()
    # What is hidden from players is hidden from an own page, whatever the token.
    text = frame.locator("#all").inner_text()
    check('"scores"' in text and '"locked"' not in text, f"the own page reads {text}")
    operator = fixture.page(viewport=PICTURE)
    operator.goto(f"{fixture.base_url}/overlay/{session}?page=own.html#token={fixture.token}")
    frame = operator.frame_locator("iframe")
    frame.locator("#state").filter(has_text="answering").wait_for()
    text = frame.locator("#all").inner_text()
    check('"scores"' in text and '"locked"' not in text, f"an operator's own page reads {text}")
    show_many(fixture, guest)
    # The browser reports the refused requests of the own page.
    fixture.console_errors = [each for each in fixture.console_errors if "v1/rpc" not in each and "Fetch API" not in each]


run_script("overlay", run)
