"""The pages remember a player's name, the data typed into the dialog for a state, and the flow of a closed session."""

from browser import check, expect_hidden, expect_visible, run_script


def field_value(page, selector):
    return page.input_value(selector)


def check_player_name(fixture):
    """The player's name is kept when the state changes and when the page is reloaded."""
    kiosk = fixture.kiosk()
    expect_visible(kiosk, "button[data-event=start]")
    fixture.server.send(fixture.session, "start", rounds=3)
    kiosk.fill("#board input[name=player]", "Ann")
    kiosk.click("button[data-event=buzz]")
    expect_visible(kiosk, "#state", "Locked")
    fixture.server.send(fixture.session, "judge", correct=True)
    expect_visible(kiosk, "#state", "Reveal")
    fixture.server.call("advance", by="5s")
    expect_visible(kiosk, "#state", "Question")
    expect_visible(kiosk, "button[data-event=buzz]")
    check(field_value(kiosk, "#board input[name=player]") == "Ann", "the player's name is forgotten")
    kiosk.reload()
    expect_visible(kiosk, "button[data-event=buzz]")
    check(field_value(kiosk, "#board input[name=player]") == "Ann", "a reload forgets the player's name")
    return kiosk


def check_state_data(fixture, desk):
    """When another state is chosen in the dialog, fields with the same name keep their values."""
    expect_visible(desk, "#state", "Question")
    desk.click("text=Go to a state")
    expect_visible(desk, "dialog[open] .help", "This overrides the rules of the game.")
    state_menu = "dialog[open] select"
    desk.fill("dialog[open] [name=scores]", '{"Ann": 7}')
    desk.select_option(state_menu, "lobby")
    check(desk.locator("dialog[open] [name=scores]").count() == 0, "the lobby has scores")
    desk.select_option(state_menu, "locked")
    for name, expected in (("round", "2"), ("rounds", "3"), ("scores", '{"Ann": 7}')):
        found = field_value(desk, f"dialog[open] [name={name}]")
        check(found == expected, f"{name} is {found!r} after another state was chosen")
    desk.keyboard.press("Escape")


def check_reopening(fixture, desk, kiosk):
    """A button of the desk opens a closed session again, with the same name and flow."""
    desk.click("#present-state .operator-commands >> text=Close")
    desk.click("dialog[open] button.danger")
    expect_visible(desk, "#state", "Closed")
    expect_visible(desk, "#present-state .data", 'Closed, while in "question".')
    expect_visible(kiosk, "#screen", "Closed")
    expect_hidden(desk, "#present-state .operator-commands")
    desk.click("#reopen")
    expect_visible(desk, "#state", "Lobby")
    expect_visible(desk, "#present-state .session", f"{fixture.session} · quiz")
    expect_hidden(desk, "#reopen")
    expect_visible(kiosk, "#state", "Lobby")

    # After a reload the page does not know the flow of the closed session. So the page asks the user for the flow.
    fixture.server.call("close", session=fixture.session)
    expect_visible(desk, "#state", "Closed")
    desk.reload()
    expect_visible(desk, "#state", "Not open")
    desk.click("#reopen")
    check(field_value(desk, "dialog[open] input") == fixture.session, "the session's name is not there")
    desk.select_option("dialog[open] select", "quiz")
    desk.click("dialog[open] button.primary")
    expect_visible(desk, "#state", "Lobby")


def run(fixture):
    fixture.require_clock("virtual")
    fixture.open("quiz")
    kiosk = check_player_name(fixture)
    desk = fixture.desk()
    check_state_data(fixture, desk)
    check_reopening(fixture, desk, kiosk)


run_script("remembers", run)
