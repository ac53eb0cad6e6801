"""A player who presses too late gets a message for an audience, without details for operators."""

import re

from browser import check, expect_hidden, expect_visible, run_script, send_line


def check_audience_text(page):
    """Checks that the page shows no process ids, positions or Bluetooth addresses."""
    text = page.inner_text("#page")
    check(not re.search(r"pid|#\d|([0-9A-F]{2}:){5}", text), f"the audience reads {text!r}")


def run(fixture):
    fixture.require_clock("virtual")
    session = fixture.open("quiz")
    fixture.server.send(session, "start", rounds=3)
    hall = fixture.kiosk()

    # An empty field is not a name.
    hall.click("button[data-event=buzz]")
    expect_visible(hall, "#notice", "Please type your name.")
    check("1…32" not in hall.inner_text("#notice"), "the limits of a name are shown")
    expect_visible(hall, "#board .ring[data-fires=timeUp] .name", "Time left")

    send_line(fixture.socket_path, f'send @{session} buzz player="Red team"')
    expect_visible(hall, "#state", "Locked")
    expect_visible(hall, "#board .ring[data-fires=answerTimedOut] .name", "Time to answer")
    send_line(fixture.socket_path, f"send @{session} buzz player=Blue")
    expect_visible(hall, "#notice", "Blue was too late: Red team was first.")
    check_audience_text(hall)

    # Red's answer is judged, so the next press is late for another reason.
    desk = fixture.desk()
    expect_visible(desk, "#present-state .answers button", "Right")
    check(desk.inner_text("#present-state .answers").split() == ["Right", "Wrong"], "not Right and Wrong")
    send_line(fixture.socket_path, f"send @{session} judge correct=true")
    expect_hidden(hall, "#notice")
    send_line(fixture.socket_path, f"send @{session} buzz player=Gold")
    expect_visible(hall, "#notice", "Gold was too late: the answer was already judged.")
    check_audience_text(hall)
    fixture.server.call("advance", by="10s")
    send_line(fixture.socket_path, f"send @{session} judge correct=true")
    check_audience_text(hall)

    # The desk's two buttons send the judgement that they name.
    fixture.server.send(session, "buzz", player="Gold")
    expect_visible(desk, "#state", "Locked")
    desk.click('#present-state .answers button:text-is("Wrong")')
    expect_visible(desk, "#log li", "judge correct=false")
    expect_visible(desk, "#state", "Question")


run_script("late_press", run)
