"""The desk and the players' page in one browser keep different roles. When the desk loses its role, the desk shows the loss at
once."""

from browser import check, expect_hidden, expect_visible, run_script


def check_separate_roles(fixture, desk, hall):
    """In two tabs, the desk and the players' page (`hall`) are signed in with different tokens.

    BrowserTests.swift allows the token `hall` only the events whose names begin with `start`.
    """
    desk.click("button[data-event=displayHelp]")
    expect_visible(desk, "#state", "Help")
    for tab in (desk, hall):
        tab.reload()
    expect_visible(desk, "#identity", "desk · operate")
    expect_visible(hall, "#state", "Help")
    fixture.server.send(fixture.session, "returnHome")
    expect_visible(hall, "button[data-event=startPlaying]")
    check(hall.locator("button[data-event=displayHelp]").count() == 0, "the hall has a button for a forbidden event")
    cookie_names = {cookie["name"] for cookie in desk.context.cookies()}
    check(len(cookie_names) == 2, f"the pages' cookies are {cookie_names}")


def check_shared_cookie(fixture, desk, other_desk, guest_token):
    """Two tabs of the desk share one cookie. So a sign-in in one tab changes the role of both tabs."""
    other_desk.goto(f"{fixture.base_url}/#token={guest_token}")
    for tab in (other_desk, desk):
        expect_visible(tab, "#identity", "guest · play")
    other_desk.goto("about:blank")
    other_desk.goto(f"{fixture.base_url}/#token={fixture.token}")
    for tab in (other_desk, desk):
        expect_visible(tab, "#identity", "desk · operate")


def check_deleted_cookie(fixture, desk):
    """Nothing notifies the desk that its cookie is deleted. The desk's next request, for the list of screens, is refused. Then
    the desk asks for a token."""
    cookies = desk.context.cookies()
    desk.context.clear_cookies()
    expect_visible(desk, "#signin label", "Token")
    desk.context.add_cookies(cookies)
    desk.reload()
    expect_visible(desk, "#identity", "desk · operate")


def run(fixture):
    fixture.open()
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    guest_token = fixture.server.call("token", action="add", name="guest")["token"]
    desk = fixture.desk()
    hall = desk.context.new_page()
    hall.goto(f"{fixture.base_url}/play/{fixture.session}#token={hall_token}")
    expect_visible(hall, "#state", "Introduction")
    check_separate_roles(fixture, desk, hall)
    check_shared_cookie(fixture, desk, desk.context.new_page(), guest_token)
    check_deleted_cookie(fixture, desk)

    desk.click("#signout")
    expect_visible(desk, "#signin label", "Token")
    hall.reload()
    expect_visible(hall, "#state", "Introduction")
    expect_hidden(hall, "#signin")


run_script("two_roles", run)
