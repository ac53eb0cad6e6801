"""The whole game, played with only the keyboard, at the desk and at the kiosk."""

from browser import Failed, check, see, tell

MOST_TABS = 120


def tab_to(page, selector):
    """Presses Tab until the element has the focus, and checks that the focus is visible."""
    for _ in range(MOST_TABS):
        if page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
            script = "() => getComputedStyle(document.activeElement).outlineStyle"
            check(page.evaluate(script) != "none", f"the focus on {selector} is not to be seen")
            return
        page.keyboard.press("Tab")
    raise Failed(f"the tabulator does not come to {selector}")


def press(page, selector, key="Enter"):
    tab_to(page, selector)
    page.keyboard.press(key)


def type_into(page, selector, text):
    tab_to(page, selector)
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def plays_at_the_desk(stage, session):
    page = stage.page()
    page.goto(stage.base)
    see(page, "#signin label", "Token")
    type_into(page, "#token", stage.token)
    see(page, "#link[data-link=open]", "Live")

    # Arrow keys move in the list of sessions, from the selected one.
    tab_to(page, "#roster a")
    page.keyboard.press("Home")
    for _ in range(MOST_TABS):
        if page.evaluate("document.activeElement.dataset.session") == session:
            break
        page.keyboard.press("ArrowDown")
    see(page, "#now .session", session)

    press(page, "button[data-event=startPlaying]")
    see(page, "#state", "Choosing episode")
    type_into(page, "#now input[name=episode]", "2")
    see(page, "#state", "Choosing level")
    type_into(page, "#now input[name=level]", "3")
    see(page, "#state", "Playing level")
    press(page, "button[data-event=pause]", "Space")
    see(page, "#state", "Paused")
    press(page, "button[data-event=resume]")
    see(page, "#state", "Playing level")
    type_into(page, "#now input[name=score]", "870")
    see(page, "#state", "Finished level")
    press(page, "button[data-event=returnHome]")
    see(page, "#state", "Introduction")


def plays_at_the_kiosk(stage):
    page = stage.kiosk()
    see(page, "#state", "Introduction")
    press_number(page, "startPlaying")
    see(page, "#state", "Choosing episode")
    press_number(page, "chooseEpisode")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    see(page, "#state", "Choosing level")
    press_number(page, "chooseLevel")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    see(page, "#state", "Playing level")
    press_number(page, "completeLevel")
    page.keyboard.type("900")
    page.keyboard.press("Enter")
    see(page, "#state", "Finished level")
    see(page, "#board .data", "900")


def press_number(page, event):
    """Presses the number that the event's button shows."""
    see(page, f"button[data-event={event}] kbd")
    # After a press the focus is on the next control, which may be a text field.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(page.inner_text(f"button[data-event={event}] kbd"))


def run(stage):
    session = stage.open()
    plays_at_the_desk(stage, session)
    plays_at_the_kiosk(stage)


tell("keyboard", run)
