"""A level times out on a virtual clock. Desk and kiosk show it without a reload."""

from browser import check, see, tell


def run(stage):
    stage.needs_clock("virtual")
    stage.open_in_a_level()
    desk, kiosk = stage.desk(), stage.kiosk()
    for page in (desk, kiosk):
        see(page, ".ring[data-fires=timeUp]", "1:30")
        page.evaluate("window.isTheSame = true")

    desk.click('#advance button:text-is("+30s")')
    see(desk, ".ring[data-fires=timeUp]", "1:00")
    see(kiosk, ".ring[data-fires=timeUp]", "1:00")
    desk.fill("#advance input", "59s")
    desk.click('#advance button:text-is("Go")')
    see(desk, ".ring[data-fires=timeUp]", "1.0")
    see(kiosk, ".ring[data-fires=timeUp]", "1.0")
    # The time-out and a beat are due at the same instant, and fire in one step.
    desk.click('#advance button:text-is("Next timer")')

    see(desk, "#state", "Finished level")
    see(desk, "#now .data", "Score")
    see(desk, "#log li[data-kind=enter]", "timeUp")
    see(desk, '#diagram .edge[data-road="0"]', "timeUp")
    see(kiosk, "#state", "Finished level")
    see(kiosk, ".ring[data-fires=idle]", "0:15")
    for page in (desk, kiosk):
        check(page.evaluate("window.isTheSame"), "the page was loaded again")


tell("time_out", run)
