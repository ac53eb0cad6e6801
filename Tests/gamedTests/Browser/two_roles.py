"""Two pages of one browser keep different roles, and a lost role is shown at once."""

from browser import check, gone, see, tell


def keep_their_roles(stage, desk, hall):
    """The desk and the players' page are signed in with different tokens, in two tabs."""
    desk.click("button[data-event=displayHelp]")
    see(desk, "#state", "Help")
    for tab in (desk, hall):
        tab.reload()
    see(desk, "#who", "desk · operate")
    see(hall, "#state", "Help")
    stage.server.send(stage.name, "returnHome")
    see(hall, "button[data-event=startPlaying]")
    check(hall.locator("button[data-event=displayHelp]").count() == 0, "the hall may do too much")
    names = {cookie["name"] for cookie in desk.context.cookies()}
    check(len(names) == 2, f"the pages' cookies are {names}")


def follow_each_other(stage, desk, other_desk, guest):
    """Two tabs of the desk share one cookie, so signing in with one of them changes the role of both."""
    other_desk.goto(f"{stage.base}/#token={guest}")
    for tab in (other_desk, desk):
        see(tab, "#who", "guest · play")
    other_desk.goto("about:blank")
    other_desk.goto(f"{stage.base}/#token={stage.token}")
    for tab in (other_desk, desk):
        see(tab, "#who", "desk · operate")


def notices_a_deleted_cookie(stage, desk):
    """The desk is not notified that its cookie is deleted. Its next request, for the list of screens, is refused."""
    kept = desk.context.cookies()
    desk.context.clear_cookies()
    see(desk, "#signin label", "Token")
    desk.context.add_cookies(kept)
    desk.reload()
    see(desk, "#who", "desk · operate")


def run(stage):
    stage.open()
    hall_token = stage.server.call("token", action="add", name="hall")["token"]
    guest = stage.server.call("token", action="add", name="guest")["token"]
    desk = stage.desk()
    hall = desk.context.new_page()
    hall.goto(f"{stage.base}/play/{stage.name}#token={hall_token}")
    see(hall, "#state", "Introduction")
    keep_their_roles(stage, desk, hall)
    follow_each_other(stage, desk, desk.context.new_page(), guest)
    notices_a_deleted_cookie(stage, desk)

    desk.click("#signout")
    see(desk, "#signin label", "Token")
    hall.reload()
    see(hall, "#state", "Introduction")
    gone(hall, "#signin")


tell("two_roles", run)
