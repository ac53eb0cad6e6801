"""axe finds no violation in sign-in, desk, dialogs and kiosk, in light and dark, on a phone and a desktop."""

from accessible import check_accessibility
from browser import DESKTOP, PHONE, Refusal, expect_visible, run_script


def inspect_desk(fixture, session, variant, options):
    page = fixture.page(**options)
    page.goto(fixture.base_url)
    expect_visible(page, "#signin label", "Token")
    check_accessibility(page, f"sign-in, {variant}")
    page.fill("#token", "wrong")
    page.click("#signin button")
    expect_visible(page, "#signin .message", "not known")
    check_accessibility(page, f"sign-in refused, {variant}")

    fixture.desk(page)
    expect_visible(page, "#diagram .node.present", "playingLevel")
    expect_visible(page, "#log li[data-kind=refused]")
    page.click("#present-state summary")
    check_accessibility(page, f"desk, {variant}")
    page.click("text=Go to a state")
    expect_visible(page, "dialog[open] h2", "Go to a state")
    check_accessibility(page, f"dialog, {variant}")
    page.keyboard.press("Escape")
    if page.is_visible("#roster-button"):
        page.click("#roster-button")
        check_accessibility(page, f"list of sessions, {variant}")


def inspect_kiosk(fixture, variant, options):
    page = fixture.page(**options)
    fixture.kiosk(page)
    expect_visible(page, "#state", "Playing level")
    check_accessibility(page, f"kiosk, {variant}")
    page.fill("input[name=score]", "-1")
    page.click("button[data-event=completeLevel]")
    expect_visible(page, "#notice", "Not possible")
    check_accessibility(page, f"kiosk refuses, {variant}")
    page.goto(f"{fixture.base_url}/play/nobody-opens-this#token={fixture.token}")
    expect_visible(page, "#screen", "Not open yet")
    check_accessibility(page, f"kiosk waits, {variant}")


def run(fixture):
    session = fixture.open()
    fixture.server.send(session, "startPlaying")
    fixture.server.send(session, "chooseEpisode", episode=1)
    fixture.server.send(session, "chooseLevel", level=1)
    # The game is not paused, so the server refuses `resume`, and the log shows a refusal.
    try:
        fixture.server.send(session, "resume")
    except Refusal:
        pass
    for theme in ("light", "dark"):
        for size, viewport in (("phone", PHONE), ("desktop", DESKTOP)):
            options = {"color_scheme": theme, "viewport": viewport, "reduced_motion": "reduce"}
            inspect_desk(fixture, session, f"{theme}, {size}", options)
            inspect_kiosk(fixture, f"{theme}, {size}", options)


run_script("contrast", run)
