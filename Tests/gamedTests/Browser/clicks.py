"""Under pressure, an operator at the desk needs few clicks. The script counts the clicks of each task, from the view of the session.
The flow has no final state."""

from browser import PHONE, check, expect_hidden, expect_visible, run_script

COMMANDS = "#present-state .operator-commands"


class Counter:
    """Clicks on the desk, and counts the clicks."""

    def __init__(self, desk):
        self.desk = desk
        self.count = 0

    def click(self, selector):
        self.desk.click(selector)
        self.count += 1

    def check(self, task, maximum):
        """Checks the number of clicks of a task, after the task."""
        check(self.count <= maximum, f"{task} takes {self.count} clicks instead of {maximum}")
        self.count = 0


def status(fixture):
    return fixture.server.call("status", session=fixture.session)


def check_timers(fixture, counter):
    desk = counter.desk
    for text, digits in (("+1 m", "1:01:00"), ("−1 m", "1:00:00")):
        counter.click(f".timer:has-text('Time left') button:text-is('{text}')")
        counter.check(text, 1)
        expect_visible(desk, ".timer:has-text('Time left') .digits", digits)
    counter.click(f"{COMMANDS} .all")
    counter.check("pausing all timers", 1)
    expect_visible(desk, f"{COMMANDS} .all", "Resume all")
    check(all(timer["paused"] for timer in status(fixture)["timers"]), "some timer runs on")
    counter.click(f"{COMMANDS} .all")
    counter.check("resuming all timers", 1)


def check_events(fixture, counter):
    desk = counter.desk
    desk.fill(".press-form.hint input[type=text]", "Count the waves")
    counter.click("button[data-event=hint]")
    counter.check("a hint", 2)
    expect_visible(desk, ".givenhints li", "Count the waves")

    # An event with few values has a button for each of them; one with more has a field.
    expect_visible(desk, ".answers legend", "Solve a puzzle")
    counter.click("button[data-event=solve]:text-is('Chart')")
    counter.check("solving a puzzle", 1)
    expect_visible(desk, "#present-state .data", "chart")
    expect_visible(desk, "select[name=door]")
    # The key of such an event leads to the first of its buttons, and presses none.
    desk.keyboard.press("p")
    focused = desk.evaluate("document.activeElement.textContent")
    check(focused == "Radio" and status(fixture)["data"]["done"] == ["chart"], f"the key leads to {focused!r}")

    counter.click(f"{COMMANDS} button:text-is('Undo')")
    counter.check("undo", 1)
    expect_hidden(desk, "#present-state .data dd:text-is('chart')")

    counter.click("#present-state .players-message summary")
    desk.fill("#present-state .players-message input", "Mind the step")
    counter.click("#present-state .players-message button:text-is('Show it')")
    counter.check("a message", 2)
    expect_visible(desk, "#present-state .players-message summary", "Mind the step")


def check_states(fixture, counter):
    """A state without data of its own is entered at once, with the data of the flow. A state with data has fields."""
    desk = counter.desk
    counter.click("button[data-event=solve]:text-is('Radio')")
    counter.check("solving a puzzle", 1)
    expect_visible(desk, "#present-state .data", "radio")
    counter.click(f"{COMMANDS} button:text-is('Go to a state')")
    expect_visible(desk, "dialog[open] .atonce button", "Escaped")
    expect_hidden(desk, "dialog[open] .atonce button:text-is('Vault')")
    fixture.save_picture(desk, "clicks-goto")
    counter.click("dialog[open] .atonce button:text-is('Escaped')")
    counter.check("going to a state", 2)
    expect_visible(desk, "#state", "Escaped")
    check(status(fixture)["data"]["done"] == ["radio"], "the data of the flow were lost")
    counter.click(f"{COMMANDS} button:text-is('Undo')")
    counter.check("undo", 1)
    expect_visible(desk, "#state", "In the room")


def check_again(fixture, counter):
    """The next game begins from any state, because no state of the flow is final."""
    desk = counter.desk
    opened = status(fixture)["seq"]
    counter.click(f"{COMMANDS} button:text-is('Start again')")
    expect_visible(desk, "dialog[open]", "is played now")
    fixture.save_picture(desk, "clicks-again")
    # A hurried second press of the same key does not end the game.
    desk.keyboard.press("Enter")
    expect_hidden(desk, "dialog[open]")
    check(status(fixture)["seq"] == opened, "a second press of the key has ended the game")
    counter.count = 0
    counter.click(f"{COMMANDS} button:text-is('Start again')")
    counter.click("dialog[open] button:text-is('Start again')")
    counter.check("the next game", 2)
    expect_visible(desk, "#state", "Waiting")
    now = status(fixture)
    check(now["seq"] < opened and now["labels"] == {"team": "Owls"}, f"the next game begins as {now}")


def run(fixture):
    fixture.server.call("open", session=fixture.session, flow="pressure", labels={"team": "Owls"})
    counter = Counter(fixture.desk())
    desk = counter.desk
    counter.click("button[data-event=begin]")
    counter.check("the start", 1)
    expect_visible(desk, "#state", "In the room")
    fixture.save_picture(desk, "clicks-desk")
    check_timers(fixture, counter)
    check_events(fixture, counter)
    check_states(fixture, counter)
    counter.click("button[data-event=evacuate]")
    counter.click("dialog[open] button[value=yes]")
    counter.check("an emergency", 2)
    expect_visible(desk, "#state", "Emergency")
    check_again(fixture, counter)

    # On a phone, the buttons of a timer and the commands stay on the screen.
    fixture.server.send(fixture.session, "begin")
    desk.set_viewport_size(PHONE)
    expect_visible(desk, "#state", "In the room")
    for selector in (".timer .controls button", f"{COMMANDS} button"):
        for box in [each.bounding_box() for each in desk.locator(selector).all() if each.is_visible()]:
            check(box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"], f"{selector} lies at {box}")
    fixture.save_picture(desk, "clicks-phone")


run_script("clicks", run)
