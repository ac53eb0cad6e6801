"""A user who may send only some events sees buttons for these events only, and no controls at the desk."""

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
    expect_visible(desk, "#link[data-link=open]", "Live")
    desk.click(f'#roster a[data-session="{fixture.session}"]')
    expect_visible(desk, "#state", "Choosing episode")
    expect_hidden(desk, "#now .orders")
    expect_hidden(desk, "#advance")

    # When the token is removed, the page asks for another one.
    fixture.server.send(fixture.session, "returnHome")
    expect_visible(kiosk, "#state", "Introduction")
    fixture.server.call("token", action="remove", name="hall")
    expect_visible(kiosk, "#signin-message", "not known any more")


run_script("limited", run)
