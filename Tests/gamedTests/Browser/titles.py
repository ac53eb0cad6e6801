"""A session of a flow file: the pages show titles instead of names, the desk shows notes, and players get no hidden
names."""

from browser import check, gone, see, tell

HIDDEN = ("secret", "hush", "trap")


def run(stage):
    room = stage.name
    stage.server.call(
        "open", session=room, flow="safe", labels={"team": "Owls"}, settings={"code": "1234"})

    desk = stage.page()
    desk.goto(f"{stage.base}/#token={stage.token}&session={room}")
    desk.click(f'#roster a[data-session="{room}"]')
    see(desk, "#state", "Locked safe")
    see(desk, "#now .session", "The Safe")
    see(desk, "#now .statenote", "Nobody has the code yet")
    see(desk, "#diagram svg g.node.lit", "shut")
    desk.click(".flowfacts summary")
    see(desk, ".flowfacts", "Owls")
    see(desk, ".flowfacts", "1234")
    desk.click(".flowfacts button")
    see(desk, ".flowfacts pre", "flow: safe")

    guest = stage.server.call("token", action="add", name="guest")["token"]
    play = stage.page()
    play.goto(f"{stage.base}/play/{room}#token={guest}")
    see(play, "#state", "Locked safe")
    see(play, "#board .rings", "Time to open it")
    see(play, "#shown", "Find the code")
    see(play, "button[data-event=turn]", "Turn the wheel")
    for word in HIDDEN:
        check(word not in play.content(), f"the players' page has {word}")
    gone(play, "button[data-event=force]")

    stage.server.call("say", session=room, text="Look under the rug")
    see(play, "#said", "Look under the rug")
    stage.server.call("say", session=room, text="")
    gone(play, "#said")

    play.fill("input[name=digits]", "1234")
    play.click("button[data-event=turn]")
    see(play, "#state", "Open at last")
    see(desk, "#state", "Open at last")

    # The undo button undoes the step that the desk shows.
    desk.click("#now .orders button:text-is('Undo')")
    see(desk, "#state", "Locked safe")
    see(play, "#state", "Locked safe")


tell("titles", run)
