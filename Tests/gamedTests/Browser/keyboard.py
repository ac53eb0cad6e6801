"""The whole game is played with the keyboard only, at the desk and at the kiosk."""

from browser import Failed, check, expect_visible, run_script

MAX_KEY_PRESSES = 120


def tab_to(page, selector):
    """Presses Tab until the element has the focus, and checks that the focus is visible."""
    for _ in range(MAX_KEY_PRESSES):
        if page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
            script = "() => getComputedStyle(document.activeElement).outlineStyle"
            check(page.evaluate(script) != "none", f"the focus on {selector} is not visible")
            return
        page.keyboard.press("Tab")
    raise Failed(f"Tab does not reach {selector}")


def press_key(page, selector, key="Enter"):
    tab_to(page, selector)
    page.keyboard.press(key)


def type_text(page, selector, text):
    tab_to(page, selector)
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def play_at_desk(fixture, session):
    page = fixture.page()
    page.goto(fixture.base_url)
    expect_visible(page, "#signin label", "Token")
    type_text(page, "#token", fixture.token)
    expect_visible(page, "#connection-state[data-state=open]", "Live")

    # Arrow keys move through the list of sessions.
    tab_to(page, "#roster a")
    page.keyboard.press("Home")
    for _ in range(MAX_KEY_PRESSES):
        if page.evaluate("document.activeElement.dataset.session") == session:
            break
        page.keyboard.press("ArrowDown")
    expect_visible(page, "#present-state .session", session)

    press_key(page, "button[data-event=startPlaying]")
    expect_visible(page, "#state", "Choosing episode")
    type_text(page, "#present-state input[name=episode]", "2")
    expect_visible(page, "#state", "Choosing level")
    type_text(page, "#present-state input[name=level]", "3")
    expect_visible(page, "#state", "Playing level")
    press_key(page, "button[data-event=pause]", "Space")
    expect_visible(page, "#state", "Paused")
    press_key(page, "button[data-event=resume]")
    expect_visible(page, "#state", "Playing level")
    type_text(page, "#present-state input[name=score]", "870")
    expect_visible(page, "#state", "Finished level")
    press_key(page, "button[data-event=returnHome]")
    expect_visible(page, "#state", "Introduction")


def play_at_kiosk(fixture):
    page = fixture.kiosk()
    expect_visible(page, "#state", "Introduction")
    press_shortcut(page, "startPlaying")
    expect_visible(page, "#state", "Choosing episode")
    press_shortcut(page, "chooseEpisode")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect_visible(page, "#state", "Choosing level")
    press_shortcut(page, "chooseLevel")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    expect_visible(page, "#state", "Playing level")
    press_shortcut(page, "completeLevel")
    page.keyboard.type("900")
    page.keyboard.press("Enter")
    expect_visible(page, "#state", "Finished level")
    expect_visible(page, "#board .data", "900")


def press_shortcut(page, event):
    """Presses the number key that the event's button shows."""
    expect_visible(page, f"button[data-event={event}] kbd")
    # After a press the focus is on the next control, which may be a text field.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(page.inner_text(f"button[data-event={event}] kbd"))


def run(fixture):
    session = fixture.open()
    play_at_desk(fixture, session)
    play_at_kiosk(fixture)


run_script("keyboard", run)
