"""A game master at the desk sets, shortens and pauses timers, sends a message, writes notes, and restarts the game."""

import json

from browser import check, check_not_red, expect_hidden, expect_visible, run_script


def run(fixture):
    session = fixture.open_in_level()
    desk = fixture.desk()
    kiosk = fixture.kiosk()

    def click_timer_button(text):
        desk.click(f"#present-state .timer.countdown button:text-is('{text}')")

    expect_visible(desk, "#present-state .timer.countdown .digits", "1:30")
    click_timer_button("−10 s")
    expect_visible(desk, "#present-state .timer.countdown .digits", "1:20")
    click_timer_button("Set")
    desk.fill("dialog[open] input", "soon")
    desk.click("dialog[open] button:text-is('Set it')")
    expect_visible(desk, "dialog[open] .message", "to")
    desk.fill("dialog[open] input", "5m")
    desk.click("dialog[open] button:text-is('Set it')")
    expect_visible(desk, "#present-state .timer.countdown .digits", "5:00")

    # One button pauses both timers.
    desk.click("#present-state .all")
    expect_visible(desk, "#present-state .all", "Resume all")
    timers = fixture.server.call("status", session=session)["timers"]
    check(len(timers) == 2 and all(timer["paused"] for timer in timers), json.dumps(timers))
    desk.click("#present-state .all")
    expect_visible(desk, "#present-state .all", "Pause all")

    desk.click("#present-state .players-message summary")
    check_not_red(desk, "#present-state .players-message :is(input, select, button, label)")
    desk.fill("#present-state .players-message input", "Mind the clock")
    desk.click("#present-state .players-message button:text-is('Show it')")
    expect_visible(kiosk, "#host-message", "Mind the clock")
    expect_visible(desk, "#present-state .players-message summary", "Mind the clock")
    desk.click("#present-state .players-message button:text-is('Remove it')")
    expect_hidden(kiosk, "#host-message")

    desk.click("#present-state .notes summary")
    desk.fill("#present-state .notes textarea", "second group, pays by card")
    desk.click("#present-state .notes button:text-is('Save')")
    expect_visible(desk, "#present-state .notes .answer", "Saved.")
    expect_visible(desk, "#present-state .notes summary", "pays by card")
    labels = fixture.server.call("status", session=session)["labels"]
    check(labels == {"_notes": "second group, pays by card"}, json.dumps(labels))

    # The new game has the flow, the settings and the labels with which the finished one was opened, but not its notes.
    fixture.server.call("close", session=session)
    fixture.server.call("open", session=session, flow="quiz", labels={"team": "Owls"})
    fixture.server.call("label", session=session, labels={"_notes": "loud"})
    fixture.server.call("goto", session=session, state="finished", data={"scores": {}})
    expect_visible(desk, "#present-state .operator-commands button.primary", "Start again")
    desk.click("#present-state .operator-commands button:text-is('Start again')")
    expect_visible(desk, "dialog[open]", "bring the finished game back")
    desk.click("dialog[open] button:text-is('Start again')")
    expect_visible(desk, "#state", "Lobby")
    status = fixture.server.call("status", session=session)
    check(status["labels"] == {"team": "Owls"}, json.dumps(status["labels"]))
    expect_hidden(desk, "#present-state .operator-commands button.primary")


run_script("game_master", run)
