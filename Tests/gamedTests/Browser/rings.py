"""Rings move by themselves between the server's facts, and a paused one stands still."""

from browser import check, see, tell, until

DRAWN = """name => {
    const ring = document.querySelector(`.ring[data-fires=${name}]`);
    const arc = ring.querySelector('.arc').style.strokeDashoffset;
    const bob = ring.querySelector('.bob')?.style.transform ?? '';
    return [arc, bob, ring.innerText].join(' ');
}"""


def moves(page, name):
    before = page.evaluate(DRAWN, name)
    script = f"([name, before]) => ({DRAWN})(name) !== before"
    until(page, script, f"the ring {name} does not move", [name, before])


def stands(page, name):
    """A second and a half later the ring is drawn as before."""
    before = page.evaluate(DRAWN, name)
    at = page.evaluate("performance.now()")
    until(page, "at => performance.now() > at + 1500", "time stands still", at)
    after = page.evaluate(DRAWN, name)
    check(after == before, f"the ring {name} moves though it is paused: {before}, then {after}")


def seconds(page, name):
    minutes, rest = page.inner_text(f".ring[data-fires={name}] .digits").split(":")
    return int(minutes) * 60 + int(rest)


def run(stage):
    stage.needs_clock("real")
    session = stage.open()
    stage.server.call("goto", session=session, state="playingLevel", data={"episode": 1, "level": 2})
    page = stage.desk()
    see(page, ".ring[data-fires=timeUp]", "of 1:30")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    first = seconds(page, "timeUp")
    at = page.evaluate("performance.now()")
    moves(page, "timeUp")
    moves(page, "tick")
    until(page, "at => performance.now() > at + 3000", "time stands still", at)
    passed = first - seconds(page, "timeUp")
    check(2 <= passed <= 4, f"in three seconds the ring went on by {passed}")
    check(not requests, f"the ring's motion costs requests: {requests}")

    page.click('.timer:has([data-fires=timeUp]) button:text-is("Pause")')
    see(page, ".ring.paused[data-fires=timeUp]", "paused")
    stands(page, "timeUp")
    moves(page, "tick")
    page.click('.timer:has([data-fires=timeUp]) button:text-is("Resume")')
    see(page, ".ring:not(.paused)[data-fires=timeUp]", "of 1:30")
    moves(page, "timeUp")


tell("rings", run)
