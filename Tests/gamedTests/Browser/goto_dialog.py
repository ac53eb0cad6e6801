"""In the dialog *Go to a state*, a boolean is a check box that begins with the default. Fields that do not fit the screen scroll,
and the buttons stay visible. Nothing is red before the user has typed."""

from accessible import check_accessibility
from browser import check, check_not_red, expect_hidden, expect_visible, run_script
from fitting import SIZES, expect_fit

FIELDS = "dialog[open] .field"
CONTROLS = f"{FIELDS} :is(input, select, textarea)"


def open_dialog(desk, state):
    desk.click("#present-state .operator-commands button:text-is('Go to a state')")
    desk.select_option("dialog[open] select >> nth=0", state)


def shown_values(desk):
    """What the fields for the data show, by the names of the data."""
    script = """controls => Object.fromEntries(controls.filter(each => each.name).map(each => [
        each.name, each.type !== 'checkbox' ? each.value : each.indeterminate ? 'undecided' : each.checked]))"""
    return desk.eval_on_selector_all(CONTROLS, script)


def go(fixture, desk):
    """Presses the button of the dialog, and returns the session's data."""
    desk.click("dialog[open] button[type=submit]")
    expect_hidden(desk, "dialog[open]")
    return fixture.server.call("status", session=fixture.session)["data"]


def check_sizes(desk):
    """On each screen the heading and the buttons are visible, and each field is after scrolling."""
    for width, height in SIZES:
        desk.set_viewport_size({"width": width, "height": height})
        for index in (0, -1):
            field = desk.locator(CONTROLS).nth(index)
            field.scroll_into_view_if_needed()
            field.evaluate("each => each.dataset.scrolledTo = 'yes'")
            wanted = "dialog[open] :is(h2, .buttons button, [data-scrolled-to])"
            expect_fit(desk, wanted, f"{CONTROLS}, dialog[open] button", f"{width}x{height}, field {index}")
            field.evaluate("each => delete each.dataset.scrolledTo")


def run(fixture):
    fixture.open("cellar")
    desk = fixture.desk()
    check_not_red(desk, ":is(input, select, textarea, label, button):not(.danger)")
    open_dialog(desk, "below")
    check_not_red(desk, "dialog[open] :is(input, select, textarea, label, button)")
    values = shown_values(desk)
    others = {"lamp": "dim", "depth": "3", "sign": "keep out"}
    expected = {"damp": True, "dry": False, "flooded": False, "barred": "undecided"} | others
    check(values | expected == values, f"the fields show {values}")
    expect_hidden(desk, f"{FIELDS} option:text-is('none')")
    check_accessibility(desk, "the dialog with many fields")
    check_sizes(desk)
    desk.check("dialog[open] input[name=flooded]")
    data = go(fixture, desk)
    expected = {"damp": True, "dry": False, "flooded": True} | others | {"depth": 3}
    check("barred" not in data and data | expected == data, f"the data are {data}")

    # The dialog proposes the present data. A box of a datum that may be null has three positions.
    for expected in (True, False, None):
        open_dialog(desk, "below")
        for _ in range({True: 1, False: 1, None: 3}[expected]):
            desk.click("dialog[open] input[name=barred]")
        data = go(fixture, desk)
        check(data.get("barred") is expected and data["flooded"] is True, f"instead of {expected}, the data are {data}")
    expect_visible(desk, "#state", "Below")

    # An order of a table is a list of integers. It begins empty, and is proposed as it is then.
    for text, expected in (("2, 1", [2, 1]), (None, [2, 1]), ("", [])):
        open_dialog(desk, "below")
        if text is not None:
            desk.fill("dialog[open] input[name=seq]", text)
        data = go(fixture, desk)
        check(data["seq"] == expected, f"with {text!r} in the field, the order is {data['seq']}")
    open_dialog(desk, "below")
    desk.fill("dialog[open] input[name=seq]", "second")
    desk.click("dialog[open] button[type=submit]")
    expect_visible(desk, "dialog[open] .message", "expected an integer")
    desk.click("dialog[open] button:text-is('Cancel')")

    # A state without data of its own is entered at once. The data of the flow stay as they are by then.
    desk.click("#present-state .operator-commands button:text-is('Go to a state')")
    fixture.server.call("send", session=fixture.session, event="enter", args={"guest": "Smith, John"})
    desk.click("dialog[open] button[data-state=above]")
    expect_hidden(desk, "dialog[open]")
    status = fixture.server.call("status", session=fixture.session)
    check(status["state"] == "above", f"the state is {status['state']}")
    check(status["data"]["guests"] == ["Smith, John"], f"the data are {status['data']}")


run_script("goto_dialog", run)
