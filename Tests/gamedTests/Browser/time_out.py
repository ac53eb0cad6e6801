"""A level times out on a virtual clock. Desk and kiosk show the new state without a reload. An undo returns to the level."""

from browser import check, expect_visible, run_script, select_session, wait_until

# Counts the animations of transitions in the diagram. Each animation adds an element of the class `sweep`.
COUNT_ANIMATIONS = """() => {
    window.animationCount = 0;
    const count = (records) => {
        const added = records.flatMap((record) => [...record.addedNodes]);
        window.animationCount += added.filter((node) => node.classList?.contains('sweep')).length;
    };
    new MutationObserver(count).observe(document.querySelector('#diagram'), { childList: true, subtree: true });
}"""


def run(fixture):
    fixture.require_clock("virtual")
    session = fixture.open_in_level()
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
    desk.evaluate(COUNT_ANIMATIONS)
    # The time-out and a beat are due at the same instant. The time-out fires first and ends the pendulum, so the beat does not
    # fire.
    desk.click('#advance button:text-is("Next timer")')

    expect_visible(desk, "#state", "Finished level")
    expect_visible(desk, "#present-state .data", "Score")
    expect_visible(desk, "#log li[data-kind=enter]", "timeUp")
    expect_visible(desk, '#diagram .edge[data-age="0"]', "timeUp")
    expect_visible(kiosk, "#state", "Finished level")
    expect_visible(kiosk, ".ring[data-fires=idle]", "0:15")
    for page in (desk, kiosk):
        check(page.evaluate("window.isTheSame"), "the page was loaded again")

    wait_until(desk, "() => window.animationCount > 0", "the diagram does not animate the transition")
    # After an undo, the newest transition of an event is still the time-out. The diagram does not animate it a second time.
    fixture.server.call("undo", session=session)
    expect_visible(desk, "#state", "Playing level")
    expect_visible(desk, "#log li[data-kind=undo]")
    count = desk.evaluate("window.animationCount")
    check(count == 1, f"the diagram animated {count} transitions; expected 1")

    # A state with transitions of events and of timers that lead back to it. Those of timers are drawn below it.
    app = f"{session}-app"
    fixture.server.call("open", session=app, flow="startup", state="showing", data={"userID": "ann", "link": "app://news"})
    select_session(desk, app)
    expect_visible(desk, "#diagram .edge.possible", "sync")
    fixture.server.call("close", session=app)


run_script("time_out", run)
