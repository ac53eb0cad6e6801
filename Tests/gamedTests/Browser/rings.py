"""Rings of timers move between the server's notifications, and the ring of a paused timer does not move."""

from browser import check, see, tell, until

DRAWN = """name => {
    const ring = document.querySelector(`.ring[data-fires=${name}]`);
    const arc = ring.querySelector('.arc').style.strokeDashoffset;
    const bob = ring.querySelector('.bob')?.style.transform ?? '';
    return [arc, bob, ring.textContent].join(' ');
}"""

# The number of different drawings in ten frames.
FRAMES = """async name => {
    const draw = %s;
    const seen = new Set();
    for (let frame = 0; frame < 10; frame += 1) {
        await new Promise(requestAnimationFrame);
        seen.add(draw(name));
    }
    return seen.size;
}""" % DRAWN


def moves(page, name):
    before = page.evaluate(DRAWN, name)
    script = f"([name, before]) => ({DRAWN})(name) !== before"
    until(page, script, f"the ring {name} does not move", [name, before])


def stands(page, name):
    """Checks that the ring is unchanged after 1.5 seconds."""
    before = page.evaluate(DRAWN, name)
    at = page.evaluate("performance.now()")
    until(page, "at => performance.now() > at + 1500", "time stands still", at)
    after = page.evaluate(DRAWN, name)
    check(after == before, f"the ring {name} moves though it is paused: {before}, then {after}")


# The seconds that the digits show, and the page's clock at the same moment.
READING = """name => {
    const [minutes, seconds] =
        document.querySelector(`.ring[data-fires=${name}] .digits`).textContent.split(':');
    return [Number(minutes) * 60 + Number(seconds), performance.now() / 1000];
}"""


def moves_alone(stage, page, session):
    """A state with only a countdown. The server sends nothing while it runs."""
    stage.server.call("goto", session=session, state="choosingEpisode")
    see(page, ".ring[data-fires=idle]", "of 1:00")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    first, start = page.evaluate(READING, "idle")
    drawn = page.evaluate(FRAMES, "idle")
    check(drawn > 5, f"in ten frames the ring was drawn in {drawn} ways: it does not move smoothly")
    until(page, "start => performance.now() > (start + 3) * 1000", "time stands still", start)
    last, end = page.evaluate(READING, "idle")
    passed, expected = first - last, end - start
    is_right = abs(passed - expected) <= 1.5
    check(is_right, f"in {expected} seconds the ring went on by {passed}")
    check(not requests, f"the ring's motion costs requests: {requests}")


def beats(stage, page, session):
    """A state with a pendulum: the server notifies of each beat, and the page makes no requests."""
    data = {"episode": 1, "level": 2}
    stage.server.call("goto", session=session, state="playingLevel", data=data)
    see(page, ".ring[data-fires=timeUp]", "of 1:30")
    requests, at = [], page.evaluate("performance.now()")
    page.on("request", lambda request: requests.append(request.url))
    moves(page, "timeUp")
    drawn = page.evaluate(FRAMES, "tick")
    check(drawn > 5, f"in ten frames the pendulum was drawn in {drawn} ways")
    until(page, "at => performance.now() > at + 2500", "time stands still", at)
    check(not requests, f"the pendulum's beats cost requests: {requests}")


def pauses(page):
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Pause")')
    see(page, ".ring.paused[data-fires=timeUp]", "paused")
    stands(page, "timeUp")
    moves(page, "tick")
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Resume")')
    see(page, ".ring:not(.paused)[data-fires=timeUp]", "of 1:30")
    moves(page, "timeUp")


def run(stage):
    stage.needs_clock("real")
    session = stage.open()
    page = stage.desk()
    moves_alone(stage, page, session)
    beats(stage, page, session)
    pauses(page)


tell("rings", run)
