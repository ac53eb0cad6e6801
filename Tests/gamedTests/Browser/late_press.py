"""A player who presses too late gets a message for an audience, without details for operators."""

import re
import socket

from browser import check, gone, see, tell


def send_line(path, line):
    """Sends one line to the daemon's UNIX socket, and waits for the answer."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(path)
        peer.sendall(line.encode() + b"\n")
        peer.makefile().readline()


def check_words(page):
    text = page.inner_text("#page")
    check(not re.search(r"pid|#\d|([0-9A-F]{2}:){5}", text), f"the audience reads {text!r}")


def run(stage):
    stage.needs_clock("virtual")
    session = stage.open("quiz")
    stage.server.send(session, "start", rounds=3)
    hall = stage.kiosk()

    # An empty field is not a name.
    hall.click("button[data-event=buzz]")
    see(hall, "#notice", "Please type your name.")
    check("1…32" not in hall.inner_text("#notice"), "the limits of a name are shown")
    see(hall, "#board .ring[data-fires=timeUp] .name", "Time left")

    send_line(stage.socket, f'send @{session} buzz player="Red team"')
    see(hall, "#state", "Locked")
    see(hall, "#board .ring[data-fires=answerTimedOut] .name", "Time to answer")
    send_line(stage.socket, f"send @{session} buzz player=Blue")
    see(hall, "#notice", "Blue was too late: Red team was first.")
    check_words(hall)

    # Red's answer was judged right, so the next press is late for another reason.
    desk = stage.desk()
    see(desk, "#now .answers button", "Right")
    check(desk.inner_text("#now .answers").split() == ["Right", "Wrong"], "not Right and Wrong")
    send_line(stage.socket, f"send @{session} judge correct=true")
    gone(hall, "#notice")
    send_line(stage.socket, f"send @{session} buzz player=Gold")
    see(hall, "#notice", "Gold was too late: the answer was already judged.")
    check_words(hall)
    stage.server.call("advance", by="10s")
    send_line(stage.socket, f"send @{session} judge correct=true")
    check_words(hall)

    # The desk's two buttons send the judgement that they name.
    stage.server.send(session, "buzz", player="Gold")
    see(desk, "#state", "Locked")
    desk.click('#now .answers button:text-is("Wrong")')
    see(desk, "#log li", "judge correct=false")
    see(desk, "#state", "Question")


tell("late_press", run, needs=2)
