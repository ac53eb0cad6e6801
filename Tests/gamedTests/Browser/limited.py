"""A user who may send only some events sees buttons for these events only, and no controls at the desk. If two rules allow
an event, each with another value of an argument, the user can type the value.

The daemon's rules let the token `hall` send events that begin with `start`, and the token `table` buzz as `ann` or as `bob`.
"""

from browser import check, expect_hidden, expect_visible, run_script


def run(fixture):
    fixture.open()
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]

    kiosk = fixture.page()
    kiosk.goto(f"{fixture.base_url}/play/{fixture.session}#token={hall_token}")
    expect_visible(kiosk, "button[data-event=startPlaying]")
    check(kiosk.locator("button[data-event=displayHelp]").count() == 0, "there is a button for a forbidden event")
    kiosk.click("button[data-event=startPlaying]")
    expect_visible(kiosk, "#state", "Choosing episode")

    desk = fixture.page()
    desk.goto(f"{fixture.base_url}/#token={hall_token}")
    expect_visible(desk, "#connection-state[data-state=open]", "Live")
    desk.click(f'#roster a[data-session="{fixture.session}"]')
    expect_visible(desk, "#state", "Choosing episode")
    expect_hidden(desk, "#present-state .operator-commands")
    expect_hidden(desk, "#advance")

    # When the token is removed, the page asks for another token.
    fixture.server.send(fixture.session, "returnHome")
    expect_visible(kiosk, "#state", "Introduction")
    fixture.server.call("token", action="remove", name="hall")
    expect_visible(kiosk, "#signin-message", "not known any more")

    fixture.server.call("close", session=fixture.session)
    session = fixture.open("quiz")
    fixture.server.send(session, "start", rounds=2)
    table_token = fixture.server.call("token", action="add", name="table")["token"]
    table = fixture.page()
    table.goto(f"{fixture.base_url}/play/{session}#token={table_token}")
    table.fill("input[name=player]", "bob")
    table.click("button[data-event=buzz]")
    expect_visible(table, "#state", "Locked")
    player = fixture.server.call("status", session=session)["data"]["player"]
    check(player == "bob", f"{player} has buzzed")


run_script("limited", run)
