"""axe finds nothing: sign-in, desk, dialogs, kiosk, in light and dark, on phone and desktop."""

from accessible import inspect
from browser import DESKTOP, PHONE, Refused, see, tell


def inspect_desk(stage, session, look, options):
    page = stage.page(**options)
    page.goto(stage.base)
    see(page, "#signin label", "Token")
    inspect(page, f"sign-in, {look}")
    page.fill("#token", "wrong")
    page.click("#signin button")
    see(page, "#signin .message", "not known")
    inspect(page, f"sign-in refused, {look}")

    stage.desk(page)
    see(page, "#diagram .node.lit", "playingLevel")
    see(page, "#log li[data-kind=refused]")
    page.click("#now summary")
    inspect(page, f"desk, {look}")
    page.click("text=Go to a state")
    see(page, "dialog[open] h2", "Go to a state")
    inspect(page, f"dialog, {look}")
    page.keyboard.press("Escape")
    if page.is_visible("#drawer"):
        page.click("#drawer")
        inspect(page, f"drawer, {look}")


def inspect_kiosk(stage, look, options):
    page = stage.page(**options)
    stage.kiosk(page)
    see(page, "#state", "Playing level")
    inspect(page, f"kiosk, {look}")
    page.fill("input[name=score]", "-1")
    page.click("button[data-event=completeLevel]")
    see(page, "#notice", "Not possible")
    inspect(page, f"kiosk refuses, {look}")
    page.goto(f"{stage.base}/play/nobody-opens-this#token={stage.token}")
    see(page, "#screen", "Not open yet")
    inspect(page, f"kiosk waits, {look}")


def run(stage):
    session = stage.open()
    stage.server.send(session, "startPlaying")
    stage.server.send(session, "chooseEpisode", episode=1)
    stage.server.send(session, "chooseLevel", level=1)
    try:
        stage.server.send(session, "resume")
    except Refused:
        pass
    for theme in ("light", "dark"):
        for size, viewport in (("phone", PHONE), ("desktop", DESKTOP)):
            options = {"color_scheme": theme, "viewport": viewport, "reduced_motion": "reduce"}
            inspect_desk(stage, session, f"{theme}, {size}", options)
            inspect_kiosk(stage, f"{theme}, {size}", options)


tell("contrast", run)
