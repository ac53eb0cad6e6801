"""A tablet whose rule allows only some events has buttons for only these, and its desk has no controls."""

from browser import check, gone, see, tell


def run(stage):
    stage.open()
    hall = stage.server.call("token", action="add", name="hall")["token"]

    kiosk = stage.page()
    kiosk.goto(f"{stage.base}/play/{stage.name}#token={hall}")
    see(kiosk, "button[data-event=startPlaying]")
    check(kiosk.locator("button[data-event=displayHelp]").count() == 0, "a button is forbidden")
    kiosk.click("button[data-event=startPlaying]")
    see(kiosk, "#state", "Choosing episode")

    desk = stage.page()
    desk.goto(f"{stage.base}/#token={hall}")
    see(desk, "#link[data-link=open]", "Live")
    desk.click(f'#roster a[data-session="{stage.name}"]')
    see(desk, "#state", "Choosing episode")
    gone(desk, "#now .orders")
    gone(desk, "#advance")

    # Other events are refused, and the refusal is not shown on the players' screen.
    stage.server.send(stage.name, "returnHome")
    see(kiosk, "#state", "Introduction")
    stage.server.call("token", action="remove", name="hall")
    see(kiosk, "#signin-message", "not known any more")


tell("limited", run)
