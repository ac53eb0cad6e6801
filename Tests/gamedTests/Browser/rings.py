"""The rings, which show the timers, move between the server's notifications. A ring does not move while its timer is paused
or the connection is lost."""

import urllib.parse

from browser import Failed, check, expect_visible, launch_through, run_script, wait_until
from web_proxy import WebProxy

# A busy machine can spoil a measurement, so a check fails only if this number of measurements fail. A wrong ring fails in each
# measurement.
MAXIMUM_MEASUREMENTS = 5

# Returns what a ring shows: its arc, the bob of a pendulum, and its text.
READ_DRAWING = """name => {
    const ring = document.querySelector(`.ring[data-fires=${name}]`);
    const arc = ring.querySelector('.arc').style.strokeDashoffset;
    const bob = ring.querySelector('.bob')?.style.transform ?? '';
    return [arc, bob, ring.textContent].join(' ');
}"""

# Returns how many different drawings of a ring appear in ten frames.
COUNT_DRAWINGS = """async name => {
    const readDrawing = %s;
    const seen = new Set();
    for (let frame = 0; frame < 10; frame += 1) {
        await new Promise(requestAnimationFrame);
        seen.add(readDrawing(name));
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
    wait_until(page, "at => performance.now() > at + 1500", "the page's clock does not advance", start)
    after = page.evaluate(READ_DRAWING, name)
    check(after == before, f"the ring {name} moves though it must stand still: {before}, then {after}")


# Returns the seconds that the ring's digits show, and the page's clock in seconds. The function waits for a new frame: on a
# busy machine the digits of an old frame can be seconds old.
READ_SECONDS = """async name => {
    await new Promise(requestAnimationFrame);
    const [minutes, seconds] =
        document.querySelector(`.ring[data-fires=${name}] .digits`).textContent.split(':');
    return [Number(minutes) * 60 + Number(seconds), performance.now() / 1000];
}"""


def expect_no_requests(page, seconds, failure):
    """Watches the page for up to `MAXIMUM_MEASUREMENTS` periods of this length. Fails if each period has a request.

    The first period may have a request. When a state is entered, the page requests the list of screens. On a busy machine the
    page sends this request late. The request for the alerts, which the desk sends each second, does not count.
    """
    requested_urls = []

    def add(request):
        if '"alerts"' not in (request.post_data or ""):
            requested_urls.append(request.url)

    page.on("request", add)
    for _ in range(MAXIMUM_MEASUREMENTS):
        requested_urls.clear()
        start = page.evaluate("performance.now()")
        script = "([start, seconds]) => performance.now() > start + seconds * 1000"
        wait_until(page, script, "the page's clock does not advance", [start, seconds])
        if not requested_urls:
            return
    raise Failed(f"{failure}: {requested_urls}")


def expect_right_speed(page, name):
    """Checks that a ring's digits count as fast as the page's clock.

    On a busy machine a notification can arrive late and make the digits jump. Such a measurement fails, and is repeated.
    """
    for _ in range(MAXIMUM_MEASUREMENTS):
        first_seconds, start = page.evaluate(READ_SECONDS, name)
        wait_until(page, "start => performance.now() > (start + 3) * 1000", "the page's clock does not advance", start)
        last_seconds, end = page.evaluate(READ_SECONDS, name)
        passed, expected = first_seconds - last_seconds, end - start
        if abs(passed - expected) <= 1.5:
            return
    raise Failed(f"in {expected} seconds the ring {name} went on by {passed}")


def check_countdown(fixture, page, session):
    """In a state with only a countdown, the ring moves though the server sends nothing and the page requests nothing."""
    fixture.server.call("goto", session=session, state="choosingEpisode")
    expect_visible(page, ".ring[data-fires=idle]", "of 1:00")
    drawing_count = page.evaluate(COUNT_DRAWINGS, "idle")
    check(drawing_count > 5, f"in ten frames the ring was drawn in {drawing_count} ways: it does not move smoothly")
    expect_no_requests(page, 3, "the ring's motion costs requests")
    expect_right_speed(page, "idle")


def check_pendulum(fixture, page, session):
    """In a state with a pendulum, the server notifies of each beat, and the page requests nothing."""
    data = {"episode": 1, "level": 2}
    fixture.server.call("goto", session=session, state="playingLevel", data=data)
    expect_visible(page, ".ring[data-fires=timeUp]", "of 1:30")
    expect_moving(page, "timeUp")
    drawing_count = page.evaluate(COUNT_DRAWINGS, "tick")
    check(drawing_count > 5, f"in ten frames the pendulum was drawn in {drawing_count} ways")
    expect_no_requests(page, 2.5, "the pendulum's beats cost requests")


def check_pause(page):
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Pause")')
    expect_visible(page, ".ring.paused[data-fires=timeUp]", "paused")
    expect_still(page, "timeUp")
    expect_moving(page, "tick")
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Resume")')
    expect_visible(page, ".ring:not(.paused)[data-fires=timeUp]", "of 1:30")
    expect_moving(page, "timeUp")


def check_connection_loss(fixture, page, proxy, session):
    """When the connection is lost, a ring stops at the time that it shows. The ring does not return to the last time that the
    server has reported."""
    fixture.server.call("goto", session=session, state="choosingEpisode")
    expect_visible(page, ".ring:not(.still)[data-fires=idle]", "of 1:00")
    read_digits = "() => document.querySelector('.ring[data-fires=idle] .digits').textContent"
    wait_until(page, f"() => ({read_digits})() <= '0:57'", "the ring does not move")
    proxy.cut()
    expect_visible(page, ".ring.still[data-fires=idle]")
    digits = page.evaluate(read_digits)
    check(digits <= "0:57", f"after the loss of the connection the ring shows {digits}")
    expect_still(page, "idle")
    proxy.restore()
    expect_visible(page, ".ring:not(.still)[data-fires=idle]")


def run(fixture):
    fixture.require_clock("real")
    session = fixture.open()
    address = urllib.parse.urlsplit(fixture.base_url)
    proxy = WebProxy(address.hostname, address.port or 80)
    page = fixture.desk(fixture.page(launch_through(fixture, proxy)))
    check_countdown(fixture, page, session)
    check_pendulum(fixture, page, session)
    check_pause(page)
    check_connection_loss(fixture, page, proxy, session)


run_script("rings", run)
