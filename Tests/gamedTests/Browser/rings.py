"""The rings, which show the timers, move between the server's notifications; the ring of a paused timer does not move."""

from browser import check, expect_visible, run_script, wait_until

# Returns what a ring shows: its arc, the bob of a pendulum, and its text.
READ_DRAWING = """name => {
    const ring = document.querySelector(`.ring[data-fires=${name}]`);
    const arc = ring.querySelector('.arc').style.strokeDashoffset;
    const bob = ring.querySelector('.bob')?.style.transform ?? '';
    return [arc, bob, ring.textContent].join(' ');
}"""

# Returns how many different drawings of a ring appear in ten frames.
COUNT_DRAWINGS = """async name => {
    const draw = %s;
    const seen = new Set();
    for (let frame = 0; frame < 10; frame += 1) {
        await new Promise(requestAnimationFrame);
        seen.add(draw(name));
    }
    return seen.size;
}""" % READ_DRAWING


def expect_moving(page, name):
    """Waits until the ring's drawing changes."""
    before = page.evaluate(READ_DRAWING, name)
    script = f"([name, before]) => ({READ_DRAWING})(name) !== before"
    wait_until(page, script, f"the ring {name} does not move", [name, before])


def expect_still(page, name):
    """Checks that the ring is unchanged after 1.5 seconds."""
    before = page.evaluate(READ_DRAWING, name)
    start = page.evaluate("performance.now()")
    wait_until(page, "at => performance.now() > at + 1500", "time stands still", start)
    after = page.evaluate(READ_DRAWING, name)
    check(after == before, f"the ring {name} moves though it is paused: {before}, then {after}")


# Returns the seconds that the ring's digits show, and the page's clock at the same moment.
READ_SECONDS = """name => {
    const [minutes, seconds] =
        document.querySelector(`.ring[data-fires=${name}] .digits`).textContent.split(':');
    return [Number(minutes) * 60 + Number(seconds), performance.now() / 1000];
}"""


def check_countdown(fixture, page, session):
    """In a state with only a countdown, the ring moves though the server sends nothing and the page requests nothing."""
    fixture.server.call("goto", session=session, state="choosingEpisode")
    expect_visible(page, ".ring[data-fires=idle]", "of 1:00")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    first_seconds, start = page.evaluate(READ_SECONDS, "idle")
    drawing_count = page.evaluate(COUNT_DRAWINGS, "idle")
    check(drawing_count > 5, f"in ten frames the ring was drawn in {drawing_count} ways: it does not move smoothly")
    wait_until(page, "start => performance.now() > (start + 3) * 1000", "time stands still", start)
    last_seconds, end = page.evaluate(READ_SECONDS, "idle")
    passed, expected = first_seconds - last_seconds, end - start
    is_right = abs(passed - expected) <= 1.5
    check(is_right, f"in {expected} seconds the ring went on by {passed}")
    check(not requests, f"the ring's motion costs requests: {requests}")


def check_pendulum(fixture, page, session):
    """In a state with a pendulum, the server notifies of each beat, and the page requests nothing."""
    data = {"episode": 1, "level": 2}
    fixture.server.call("goto", session=session, state="playingLevel", data=data)
    expect_visible(page, ".ring[data-fires=timeUp]", "of 1:30")
    requests, start = [], page.evaluate("performance.now()")
    page.on("request", lambda request: requests.append(request.url))
    expect_moving(page, "timeUp")
    drawing_count = page.evaluate(COUNT_DRAWINGS, "tick")
    check(drawing_count > 5, f"in ten frames the pendulum was drawn in {drawing_count} ways")
    wait_until(page, "at => performance.now() > at + 2500", "time stands still", start)
    check(not requests, f"the pendulum's beats cost requests: {requests}")


def check_pause(page):
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Pause")')
    expect_visible(page, ".ring.paused[data-fires=timeUp]", "paused")
    expect_still(page, "timeUp")
    expect_moving(page, "tick")
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Resume")')
    expect_visible(page, ".ring:not(.paused)[data-fires=timeUp]", "of 1:30")
    expect_moving(page, "timeUp")


def run(fixture):
    fixture.require_clock("real")
    session = fixture.open()
    page = fixture.desk()
    check_countdown(fixture, page, session)
    check_pendulum(fixture, page, session)
    check_pause(page)


run_script("rings", run)
