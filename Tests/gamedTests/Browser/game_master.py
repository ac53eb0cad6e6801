"""A game master at the desk sets, shortens and pauses timers, sends a message, writes notes, and restarts the game."""

import json

from browser import check, gone, see, tell


def run(stage):
    room = stage.open_in_a_level()
    desk = stage.desk()
    play = stage.kiosk()

    def press(text):
        desk.click(f"#now .timer.countdown button:text-is('{text}')")

    see(desk, "#now .timer.countdown .digits", "1:30")
    press("−10 s")
    see(desk, "#now .timer.countdown .digits", "1:20")
    press("Set")
    desk.fill("dialog[open] input", "soon")
    desk.click("dialog[open] button:text-is('Set it')")
    see(desk, "dialog[open] .message", "to")
    desk.fill("dialog[open] input", "5m")
    desk.click("dialog[open] button:text-is('Set it')")
    see(desk, "#now .timer.countdown .digits", "5:00")

    # Both timers are paused as one change.
    desk.click("#now .all")
    see(desk, "#now .all", "Resume all")
    timers = stage.server.call("status", session=room)["timers"]
    check(len(timers) == 2 and all(each["paused"] for each in timers), json.dumps(timers))
    desk.click("#now .all")
    see(desk, "#now .all", "Pause all")

    desk.click("#now .message summary")
    desk.fill("#now .message input", "Mind the clock")
    desk.click("#now .message button:text-is('Show it')")
    see(play, "#said", "Mind the clock")
    see(desk, "#now .message summary", "Mind the clock")
    desk.click("#now .message button:text-is('Remove it')")
    gone(play, "#said")

    desk.click("#now .notes summary")
    desk.fill("#now .notes textarea", "second group, pays by card")
    desk.click("#now .notes button:text-is('Save')")
    see(desk, "#now .notes .answer", "Saved.")
    see(desk, "#now .notes summary", "pays by card")
    labels = stage.server.call("status", session=room)["labels"]
    check(labels == {"_notes": "second group, pays by card"}, json.dumps(labels))

    # The new game has the flow and the settings of the finished one, but not its notes.
    stage.server.call("close", session=room)
    stage.server.call("open", session=room, flow="quiz", labels={"team": "Owls", "_notes": "loud"})
    stage.server.call("goto", session=room, state="finished", data={"scores": {}})
    see(desk, "#now .orders", "Start again")
    desk.click("#now .orders button:text-is('Start again')")
    desk.click("dialog[open] button:text-is('Start again')")
    see(desk, "#state", "Lobby")
    status = stage.server.call("status", session=room)
    check(status["labels"] == {"team": "Owls"}, json.dumps(status["labels"]))
    gone(desk, "#now .orders button:text-is('Start again')")


tell("game_master", run)
