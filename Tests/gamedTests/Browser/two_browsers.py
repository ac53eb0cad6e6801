"""Two desks show each other's changes and refusals."""

import socket

from browser import Refused, check, log_positions, see, tell, until


def send_line(path, line):
    """Sends one line to the daemon's UNIX socket, and waits for the answer."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(path)
        peer.sendall(line.encode() + b"\n")
        peer.makefile().readline()


def run(stage):
    session = stage.open()
    ann, bob = stage.desk(), stage.desk()
    ann.click("button[data-event=startPlaying]")
    see(bob, "#state", "Choosing episode")
    bob.fill("#now input[name=episode]", "3")
    bob.click("button[data-event=chooseEpisode]")
    see(ann, "#state", "Choosing level")
    see(ann, "#log li", "chooseEpisode episode=3")

    # Level 9 does not exist: Ann's desk shows the reason of the refusal, and the logs of both desks contain it.
    ann.fill("#now input[name=level]", "9")
    ann.click("button[data-event=chooseLevel]")
    see(ann, "#now .outcome", "level")
    for page in (ann, bob):
        see(page, "#log li[data-kind=refused]", "chooseLevel level=9")
        see(page, "#state", "Choosing level")

    try:
        stage.server.send(session, "startPlaying")
    except Refused:
        pass
    for page in (ann, bob):
        see(page, "#log li[data-kind=refused]", "choosingLevel does not take startPlaying")
        see(page, "#log li[data-kind=refused]", "was first with chooseEpisode")

    ann.fill("#log input", "startPlaying")
    until(
        ann,
        "() => document.querySelectorAll('#log li:not([hidden])').length === 2",
        "the log's filter does not leave the two rows of startPlaying",
    )
    ann.fill("#log input", "")
    if stage.socket:
        send_line(stage.socket, f"send @{session} returnHome")
        for page in (ann, bob):
            see(page, "#state", "Introduction")
            see(page, "#log li", "unix pid")
    shown = [log_positions(page) for page in (ann, bob)]
    check(shown[0] == shown[1], f"the two logs differ: {shown}")


tell("two_browsers", run)
