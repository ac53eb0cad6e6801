"""The words of a flow about its events: the screens ask before some of them, the desk draws dangerous ones apart, presses
buttons by keys, and draws the items of a checklist as boxes."""

from browser import check, expect_hidden, expect_visible, run_script, wait_until


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="cellar")
    state = lambda: server.call("status", session=session)["state"]
    desk = fixture.page()
    desk.goto(f"{fixture.base_url}/#token={fixture.token}&session={session}")
    desk.click(f'#roster a[data-session="{session}"]')

    # The boxes follow the data, also when somebody else ticks one.
    box = desk.locator("[role=checkbox]", has_text="Radio")
    expect_visible(desk, ".checklist", "Checks")
    # The flow takes this event from devices only.
    check("ring" in server.call("status", session=session)["accepts"], "the state does not take the doorbell")
    check("Doorbell" not in desk.text_content(".events"), "the desk offers an event that it cannot send")
    box.click()
    wait_until(desk, "() => document.querySelector('[role=checkbox]').getAttribute('aria-checked') === 'true'",
               "the pressed box is not ticked")
    server.send(session, "tick", item="chart")
    wait_until(desk, "() => document.querySelectorAll('[role=checkbox][aria-checked=true]').length === 2",
               "the box of another client's press is not ticked")
    box.click()
    wait_until(desk, "() => document.querySelector('[role=checkbox]').getAttribute('aria-checked') === 'false'",
               "the second press of a box does not clear it")
    fixture.save_picture(desk, "desk-offers")

    # A dangerous event is apart from the others and asks first.
    expect_visible(desk, ".dangers button.danger", "Emergency")
    desk.click("button[data-event=stop]")
    expect_visible(desk, "dialog.confirmation", "Emergency?")
    fixture.save_picture(desk, "desk-confirmation")
    desk.keyboard.press("Enter")
    expect_hidden(desk, "dialog.confirmation")
    check(state() == "below", "the focus is not on the button that cancels")

    # A key presses the button of its event, but not while somebody types.
    desk.click("input[name=text]") if desk.locator("input[name=text]").count() else None
    desk.locator("body").click(position={"x": 1, "y": 1})
    desk.keyboard.press("r")
    expect_visible(desk, "#state", "Ready")

    # An invitation can be limited to what a guest's page can send.
    desk.click("#screens button:has-text('Invite')")
    desk.click("dialog[open] details.limits summary")
    offered = desk.locator("dialog[open] select[name=event] option").all_text_contents()
    check(offered == ["Every event", "Checks", "Begin", "Emergency"], f"an invitation can be limited to {offered}")
    desk.click("dialog[open] button:has-text('Cancel')")

    # The players' page asks too. Another change meanwhile makes the press stale.
    guest = server.call("token", action="add", name="guest")["token"]
    page = fixture.page()
    page.goto(f"{fixture.base_url}/play/{session}#token={guest}")
    page.click("button[data-event=stop]")
    check(page.locator("button[data-event=ring]").count() == 0, "a page offers an event that it cannot send")
    expect_visible(page, "dialog.confirmation", "Emergency?")
    fixture.save_picture(page, "play-confirmation")
    server.call("goto", session=session, state="ready")
    page.click("dialog.confirmation button.danger")
    expect_visible(page, "#notice", "Too late")
    page.click("button[data-event=stop]")
    page.click("dialog.confirmation button.danger")
    expect_visible(page, "#state", "Stopped")


run_script("offers", run)
