"""The overlay is transparent, has no controls and sends nothing. An own page in it gets snapshot and changes, and has no origin."""

from browser import check, expect_hidden, expect_visible, run_script

PICTURE = {"width": 1920, "height": 1080}


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
    # The browser reports the refused requests of the own page.
    fixture.console_errors = [each for each in fixture.console_errors if "v1/rpc" not in each and "Fetch API" not in each]


run_script("overlay", run)
