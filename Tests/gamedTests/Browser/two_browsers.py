"""Two desks show each other's changes and refusals."""

from browser import Refusal, check, expect_visible, log_positions, run_script, send_line, wait_until


def run(fixture):
    session = fixture.open()
    ann, bob = fixture.desk(), fixture.desk()
    ann.click("button[data-event=startPlaying]")
    expect_visible(bob, "#state", "Choosing episode")
    bob.fill("#present-state input[name=episode]", "3")
    bob.click("button[data-event=chooseEpisode]")
    expect_visible(ann, "#state", "Choosing level")
    expect_visible(ann, "#log li", "chooseEpisode episode=3")

    # Level 9 does not exist: Ann's desk shows the reason of the refusal, and the logs of both desks contain it.
    ann.fill("#present-state input[name=level]", "9")
    ann.click("button[data-event=chooseLevel]")
    expect_visible(ann, "#present-state .outcome", "level")
    for page in (ann, bob):
        expect_visible(page, "#log li[data-kind=refused]", "chooseLevel level=9")
        expect_visible(page, "#state", "Choosing level")

    try:
        fixture.server.send(session, "startPlaying")
    except Refusal:
        pass
    for page in (ann, bob):
        expect_visible(page, "#log li[data-kind=refused]", "choosingLevel does not take startPlaying")
        expect_visible(page, "#log li[data-kind=refused]", "was first with chooseEpisode")

    ann.fill("#log input", "startPlaying")
    wait_until(
        ann,
        "() => document.querySelectorAll('#log li:not([hidden])').length === 2",
        "the log's filter should leave two rows: startPlaying taken, and startPlaying refused",
    )
    ann.fill("#log input", "")
    # A client of the UNIX socket makes the next change.
    if fixture.socket_path:
        send_line(fixture.socket_path, f"send @{session} returnHome")
        for page in (ann, bob):
            expect_visible(page, "#state", "Introduction")
            expect_visible(page, "#log li", "unix pid")
    shown = [log_positions(page) for page in (ann, bob)]
    check(shown[0] == shown[1], f"the two logs differ: {shown}")


run_script("two_browsers", run)
