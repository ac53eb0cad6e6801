"""The desk does not scroll sideways, on no screen, if events have several arguments. Their forms can be used there."""

from browser import check, expect_visible, run_script
from fitting import SIZES, expect_fit

PHONES = [(320, 640), (360, 740), (390, 844), (414, 896)]
CONTROLS = "#present-state :is(button, input, select)"


def run(fixture):
    fixture.open("moves")
    desk = fixture.desk()
    expect_visible(desk, "#present-state button[data-event=place]")
    for width, height in [*PHONES, *SIZES]:
        desk.set_viewport_size({"width": width, "height": height})
        # The buttons may be below the screen of a phone.
        expect_fit(desk, "#present-state #state", CONTROLS, f"{width}x{height}")
        fixture.save_picture(desk, f"many_arguments_{width}")
    form = desk.locator("#present-state form", has=desk.locator("button[data-event=pass]"))
    desk.set_viewport_size({"width": 360, "height": 740})
    form.locator("input").nth(0).fill("Ann")
    form.locator("input").nth(1).fill("4")
    form.locator("button").click()
    expect_visible(desk, "#log li", "pass")
    newest = fixture.server.history(fixture.session)[0]
    check(newest["event"]["args"] == {"whoPassed": "Ann", "teamSize": 4}, f"the newest change is {newest}")


run_script("many_arguments", run)
