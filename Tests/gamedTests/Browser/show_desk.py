"""The desk of a show: who pressed first, what an undo takes back, an undo by pointing at the log, and hints of full width."""

from browser import DESKTOP, PHONE, check, expect_hidden, expect_visible, run_script, wait_until


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="showdesk")
    desk = fixture.desk()
    expect_hidden(desk, ".pressorder li")
    expect_hidden(desk, ".undo-note")

    server.send(session, "buzz", player="Ann")
    expect_visible(desk, ".pressorder li", "Annfirst")
    # Another press of the same millisecond is not the first.
    try:
        server.send(session, "buzz", player="Cy")
    except Exception:
        pass
    expect_visible(desk, ".pressorder li", "Cy+0 mstoo late")
    server.call("advance", by="12ms")
    desk.evaluate("undefined")  # the refusal comes over the stream of the page
    try:
        server.send(session, "buzz", player="Bob")
    except Exception:
        pass
    expect_visible(desk, ".pressorder li", "Bob+12 mstoo late")
    expect_visible(desk, ".undo-note", "Undo takes back #2: Buzz")
    fixture.save_picture(desk, "show-desk")

    # The presses of a large audience: some are folded, and nothing is said to be missing.
    for number in range(23):
        try:
            server.send(session, "buzz", player=f"Player {number + 1}")
        except Exception:
            pass
    expect_visible(desk, ".pressorder summary", "and 14 more")
    check(desk.locator(".pressorder li:visible").count() == 12, "not 12 presses are seen")
    expect_hidden(desk, ".pressorder .help:not(:empty)")
    fixture.save_picture(desk, "show-desk-presses")
    desk.click(".pressorder summary")
    expect_visible(desk, ".pressorder details li", "Player 23+12 ms")
    check(desk.locator(".pressorder li:visible").count() == 26, "not all presses are seen")
    fixture.save_picture(desk, "show-desk-presses-open")
    desk.click(".pressorder summary")

    # A hint has the whole width, and its field is empty after the press.
    hint = desk.locator(".press-form.hint")
    field = hint.locator("input[type=text]")
    check(field.bounding_box()["width"] > 300, f"the field of the hint is {field.bounding_box()['width']} px wide")
    # On a phone, the button is below the fields.
    desk.set_viewport_size({"width": 360, "height": 740})
    for control in [field, hint.locator("button")]:
        box = control.bounding_box()
        check(box["x"] >= 0 and box["x"] + box["width"] <= 360, f"on a phone, a part of the hint lies at {box}")
    desk.set_viewport_size(DESKTOP)
    field.fill("Look behind the books")
    hint.locator("button").click()
    expect_visible(desk, ".undo-note", "Undo takes back #3: Give a hint")
    wait_until(desk, "() => document.querySelector('.press-form.hint input').value === ''", "the hint stays in its field")
    expect_visible(desk, ".givenhints", "Look behind the books")

    # The hints of each puzzle are together, in the order of the flow.
    server.call("send", session=session, event="hint", args={"puzzle": "chart", "say": "Count the waves"})
    server.call("send", session=session, event="hint", args={"puzzle": "radio", "say": "Turn the dial"})
    expect_visible(desk, ".givenhints li", "Turn the dial")
    texts = desk.eval_on_selector_all(".givenhints :is(h4, li span)", "all => all.map((each) => each.textContent)")
    check(texts == ["Radio", "Look behind the books", "Turn the dial", "Chart", "Count the waves"], f"the hints: {texts}")
    labels = desk.eval_on_selector_all(".press-form.hint datalist option", "all => all.map((each) => each.label)")
    check(labels == ["Listen to the radio", "given: Count the waves"], f"the suggestions: {labels}")
    fixture.save_picture(desk, "show-desk-hints")
    # A hint that is taken back was not given.
    server.call("undo", session=session)
    server.call("undo", session=session)
    expect_hidden(desk, ".givenhints li:has-text('waves')")
    labels = desk.eval_on_selector_all(".press-form.hint datalist option", "all => all.map((each) => each.label)")
    check(labels == ["Listen to the radio", "Count the waves"], f"the suggestions after the undo: {labels}")
    server.call("say", session=session, text="hello")
    expect_visible(desk, ".undo-note", "Undo takes back #3: Give a hint")

    # A sentence that ends with a question has no full stop.
    try:
        server.send(session, "wrang")
    except Exception:
        pass
    expect_visible(desk, "#log li .why", "did you mean wrong?")
    check("?." not in desk.inner_text("#log"), f"the log is {desk.inner_text('#log')}")

    # A guest of a link for all is known by the name that was typed.
    guest = server.call("token", action="add", name="guest")["token"]
    phone = fixture.page(viewport=PHONE)
    phone.goto(f"{fixture.base_url}/play/{session}#token={guest}")
    server.send(session, "wrong")
    phone.fill("input[name=player]", "Cat")
    phone.click("text=Ready")
    phone.locator("button[data-event=buzz]").dispatch_event("pointerdown", {"isPrimary": True})
    expect_visible(desk, "#screens li", "Catconnected")
    expect_visible(desk, "#screens li", "guest")

    # An undo of several steps, by pointing at the log.
    server.send(session, "wrong")
    expect_visible(desk, "#state", "Question")
    row = desk.locator("#log li", has_text="#1").filter(has_text="open")
    row.hover()
    fixture.save_picture(desk, "show-desk-log")
    row.locator(".undo-to").click()
    expect_visible(desk, "dialog", "Undo 5 changes after #1, open?")
    desk.click("dialog button[value=yes]")
    expect_hidden(desk, ".undo-note")
    status = server.call("status", session=session)
    check(status["data"]["used"] == 0 and status["state"] == "question", f"after the undo: {status['state']} {status['data']}")
    expect_hidden(desk, "#log .undo-to")


run_script("show_desk", run)
