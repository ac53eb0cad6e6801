"""The pages keep a player's name, the data typed for a state, and the flow of a closed session."""

from browser import check, gone, see, tell


def value(page, selector):
    return page.input_value(selector)


def a_player_stays(stage):
    """The name is kept over a change of state, and over a reload."""
    hall = stage.kiosk()
    see(hall, "button[data-event=start]")
    stage.server.send(stage.name, "start", rounds=3)
    hall.fill("#board input[name=player]", "Ann")
    hall.click("button[data-event=buzz]")
    see(hall, "#state", "Locked")
    stage.server.send(stage.name, "judge", correct=True)
    see(hall, "#state", "Reveal")
    stage.server.call("advance", by="5s")
    see(hall, "#state", "Question")
    see(hall, "button[data-event=buzz]")
    check(value(hall, "#board input[name=player]") == "Ann", "the player's name is forgotten")
    hall.reload()
    see(hall, "button[data-event=buzz]")
    check(value(hall, "#board input[name=player]") == "Ann", "a reload forgets the player's name")
    return hall


def data_stay(stage, desk):
    """Fields with the same name keep their values when another state is chosen."""
    see(desk, "#state", "Question")
    desk.click("text=Go to a state")
    see(desk, "dialog[open] .help", "This overrides the rules of the game.")
    state = "dialog[open] select"
    desk.fill("dialog[open] [name=scores]", '{"Ann": 7}')
    desk.select_option(state, "lobby")
    check(desk.locator("dialog[open] [name=scores]").count() == 0, "the lobby has scores")
    desk.select_option(state, "locked")
    for name, wanted in (("round", "2"), ("rounds", "3"), ("scores", '{"Ann": 7}')):
        found = value(desk, f"dialog[open] [name={name}]")
        check(found == wanted, f"{name} is {found!r} after another state was chosen")
    desk.keyboard.press("Escape")


def opens_again(stage, desk, hall):
    """A closed session is opened again with the same name and flow."""
    desk.click("#now .orders >> text=Close")
    desk.click("dialog[open] button.danger")
    see(desk, "#state", "Closed")
    see(desk, "#now .data", 'Closed, while in "question".')
    see(hall, "#screen", "Closed")
    gone(desk, "#now .orders")
    desk.click("#reopen")
    see(desk, "#state", "Lobby")
    see(desk, "#now .session", f"{stage.name} · quiz")
    gone(desk, "#reopen")
    see(hall, "#state", "Lobby")

    # The page does not know the flow of a session that was closed before the page was loaded, so it asks for it.
    stage.server.call("close", session=stage.name)
    see(desk, "#state", "Closed")
    desk.reload()
    see(desk, "#state", "Not open")
    desk.click("#reopen")
    check(value(desk, "dialog[open] input") == stage.name, "the session's name is not there")
    desk.select_option("dialog[open] select", "quiz")
    desk.click("dialog[open] button.primary")
    see(desk, "#state", "Lobby")


def run(stage):
    stage.needs_clock("virtual")
    stage.open("quiz")
    hall = a_player_stays(stage)
    desk = stage.desk()
    data_stay(stage, desk)
    opens_again(stage, desk, hall)


tell("remembers", run)
