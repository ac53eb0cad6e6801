"""A session plays a flow file. The pages show titles instead of names, the desk shows notes, and the players' page does not
receive the names that the file hides from players."""

from browser import check, expect_hidden, expect_visible, run_script, wait_until

HIDDEN_NAMES = ("secret", "hush", "trap")


def run(fixture):
    session = fixture.session
    fixture.server.call(
        "open", session=session, flow="safe", labels={"team": "Owls"}, settings={"code": "1234"})

    desk = fixture.page()
    desk.goto(f"{fixture.base_url}/#token={fixture.token}&session={session}")
    desk.click(f'#roster a[data-session="{session}"]')
    expect_visible(desk, "#state", "Locked safe")
    expect_visible(desk, "#present-state .session", "The Safe")
    expect_visible(desk, "#present-state .state-note", "Nobody has the code yet")
    expect_visible(desk, "#diagram svg g.node.present", "shut")
    desk.click(".flowfacts summary")
    expect_visible(desk, ".flowfacts", "Owls")
    expect_visible(desk, ".flowfacts", "1234")
    # A setting has its title in place of its name, and its note.
    expect_visible(desk, ".flowfacts dt:text-is('The code')")
    expect_visible(desk, ".flowfacts dd", "Four digits")
    fixture.save_picture(desk, "titles-desk")
    desk.click(".flowfacts button")
    expect_visible(desk, ".flowfacts pre", "flow: safe")

    guest_token = fixture.server.call("token", action="add", name="guest")["token"]
    # The link to the players' screen has no token, so that screen signs in for itself.
    address = desk.locator("#screens header a").first.evaluate("link => link.href")
    check(address == f"{fixture.base_url}/play/{session}", f"the link to the players' screen is {address}")

    # A press opens it in a tab that joins as a guest, and so asks for no token. The next press needs no further guest.
    for _ in range(2):
        with desk.context.expect_page() as opened:
            desk.locator("#screens header a").first.click()
        opened.value.wait_for_url(address)
        expect_visible(opened.value, "#state", "Locked safe")
        opened.value.close()
    guests = fixture.server.call("screens", session=session)["screens"]
    check(len([guest for guest in guests if "invite" in guest.get("name", "")]) == 1, f"the guests are {guests}")

    # The other links lead to the wall and to the overlay, also before the browser has joined.
    links = desk.eval_on_selector_all("#screens header a", "all => all.map(({ textContent, href }) => [textContent, href])")
    overlay = f"{fixture.base_url}/overlay/{session}"
    check(links[1:] == [["Wall", f"{address}?screen=wall"], ["Overlay", overlay]], f"the links are {links}")
    desk.reload()
    expect_visible(desk, "#screens header a", "Overlay")
    with desk.context.expect_page() as opened:
        desk.click("#screens header a:text-is('Overlay')")
    opened.value.wait_for_url(overlay)
    expect_visible(opened.value, "#state", "Locked safe")
    opened.value.close()

    kiosk = fixture.page()
    failures = []
    kiosk.on("response", lambda response: failures.append(response.url) if response.status >= 400 else None)
    kiosk.goto(f"{fixture.base_url}/play/{session}#token={guest_token}")
    expect_visible(kiosk, "#state", "Locked safe")
    expect_visible(kiosk, "#board .rings", "Time to open it")
    wait_until(kiosk, "() => document.title === 'The Safe'", "the tab has not the title of the flow")
    kiosk.wait_for_load_state("load")
    check(not failures, f"requests of the players' page failed: {failures}")
    expect_visible(kiosk, "#state-text", "Find the code")
    expect_visible(kiosk, "button[data-event=turn]", "Turn the wheel")
    for name in HIDDEN_NAMES:
        check(name not in kiosk.content(), f"the players' page has {name}")
    expect_hidden(kiosk, "button[data-event=force]")

    # The buttons beside a number keep it within the range of the argument, which is 3 to 9.
    number = "input[name=button]"
    check(kiosk.input_value(number) == "3", f"the number begins as {kiosk.input_value(number)}")
    for label, last in (("Less", "3"), ("More", "9")):
        for _ in range(8):
            kiosk.click(f"#board button[aria-label^={label}]")
        check(kiosk.input_value(number) == last, f"{label} leads to {kiosk.input_value(number)}")

    fixture.server.call("say", session=session, text="Look under the rug")
    expect_visible(kiosk, "#host-message", "Look under the rug")
    fixture.server.call("say", session=session, text="")
    expect_hidden(kiosk, "#host-message")

    # A sentence of the flow that ends with a question has no full stop.
    kiosk.fill("input[name=digits]", "8888")
    kiosk.click("button[data-event=turn]")
    expect_visible(kiosk, "#notice", "Really?")
    check("?." not in kiosk.inner_text("#notice"), f"the notice is {kiosk.inner_text('#notice')}")

    # A sentence of the flow has no name of an argument before it.
    kiosk.fill("input[name=digits]", "9999")
    kiosk.click("button[data-event=turn]")
    expect_visible(kiosk, "#notice", "Nothing moves.")
    check("digits" not in kiosk.inner_text("#notice"), f"the notice is {kiosk.inner_text('#notice')}")

    kiosk.fill("input[name=digits]", "1234")
    kiosk.click("button[data-event=turn]")
    expect_visible(kiosk, "#state", "Open at last")
    expect_visible(desk, "#state", "Open at last")

    # The undo button undoes the step that the desk shows.
    desk.click("#present-state .operator-commands button:text-is('Undo')")
    expect_visible(desk, "#state", "Locked safe")
    expect_visible(kiosk, "#state", "Locked safe")
    desk.click("#present-state .operator-commands button:text-is('Undo')")
    expect_visible(desk, "#present-state", "nothing to undo: no step since the opening, a move or a restart is left")
    check("seq" not in desk.inner_text("#present-state"), "the desk shows the name of a parameter")


run_script("titles", run)
