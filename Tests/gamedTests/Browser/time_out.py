"""A level times out on a virtual clock. Desk and kiosk show the new state without a reload."""

from browser import check, expect_visible, run_script


def run(fixture):
    fixture.require_clock("virtual")
    fixture.open_in_level()
    desk, kiosk = fixture.desk(), fixture.kiosk()
    for page in (desk, kiosk):
        expect_visible(page, ".ring[data-fires=timeUp]", "1:30")
        # A reload would delete this variable.
        page.evaluate("window.isTheSame = true")

    desk.click('#advance button:text-is("+30s")')
    expect_visible(desk, ".ring[data-fires=timeUp]", "1:00")
    expect_visible(kiosk, ".ring[data-fires=timeUp]", "1:00")
    desk.fill("#advance input", "59s")
    desk.click('#advance button:text-is("Go")')
    expect_visible(desk, ".ring[data-fires=timeUp]", "1.0")
    expect_visible(kiosk, ".ring[data-fires=timeUp]", "1.0")
    # The time-out and a beat are due at the same instant, and fire in one step.
    desk.click('#advance button:text-is("Next timer")')

    expect_visible(desk, "#state", "Finished level")
    expect_visible(desk, "#present-state .data", "Score")
    expect_visible(desk, "#log li[data-kind=enter]", "timeUp")
    expect_visible(desk, '#diagram .edge[data-age="0"]', "timeUp")
    expect_visible(kiosk, "#state", "Finished level")
    expect_visible(kiosk, ".ring[data-fires=idle]", "0:15")
    for page in (desk, kiosk):
        check(page.evaluate("window.isTheSame"), "the page was loaded again")


run_script("time_out", run)
