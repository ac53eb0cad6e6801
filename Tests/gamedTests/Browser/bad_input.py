"""Unusual input: long texts of emoji, names in other scripts, a clock of 100 hours, a suspended tablet, and two presses
at the same time."""

import urllib.parse

from browser import Failed, check, comes, gone, see, tell, through, until
from fitting import FAULTS
from proxy import Proxy

SIZES = [(1920, 1080), (1024, 600), (390, 844)]
EMOJI = "🎉" * 200
NAMES = {"فريق البوم الأبيض": 4, "北京猫头鹰队": 3, "Les Quizérables": 2, "🦉🦉🦉": 1}
PLAYED = "#board :is(button, input, select, .ring, #state, .data li)"


def check_board(page, what):
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        faults = page.evaluate(FAULTS, [PLAYED, PLAYED])
        check(not faults, f"{what}, {width}x{height}: {'; '.join(faults)}")


def says_emoji(stage, desk, hall):
    """A text of 200 emoji is shown whole, with the buttons on the screen. A longer text is refused with a message."""
    desk.click("#now details.message summary")
    desk.fill("#now details.message input", EMOJI)
    desk.click("#now details.message button[type=submit]")
    see(hall, "#said", EMOJI)
    check_board(hall, "200 emoji")
    family = "👨‍👩‍👧‍👦" * 72
    desk.fill("#now details.message input", family)
    desk.click("#now details.message button[type=submit]")
    see(desk, "#now details.message .answer", "500")
    see(hall, "#said", EMOJI)
    desk.click("#now details.message button.quiet")
    gone(hall, "#said")


def shows_other_scripts(stage, hall):
    data = {"round": 3, "rounds": 10, "scores": NAMES, "out": []}
    stage.server.call("goto", session=stage.name, state="question", data=data)
    for name in NAMES:
        see(hall, "#board .data", name)
    check_board(hall, "names in Arabic and Chinese")
    order = {"session": stage.name, "fires": "timeUp"}
    stage.server.call("timer", **order, action="set", to="100h")
    see(hall, ".ring[data-fires=timeUp] .digits", "100:00:00")
    check_board(hall, "a clock of 100 hours")


def sleeps_and_wakes(stage, proxy):
    """The browser receives nothing for an hour, and its connection is closed when it resumes."""
    page = stage.page(through(stage, proxy))
    page.clock.install()
    stage.kiosk(page)
    see(page, "#state", "Question")
    proxy.freeze()
    stage.server.send(stage.name, "buzz", player="北京猫头鹰队")
    see_nothing = "() => document.querySelector('#state').textContent.startsWith('Question')"
    check(page.evaluate(see_nothing), "a frozen connection tells of changes")
    page.clock.fast_forward(3_600_000)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    for _ in range(10):
        page.clock.run_for(11_000)
        if comes(page, "#state", "Locked"):
            break
    see(page, "#first", "北京猫头鹰队")
    page.context.close()


def is_frozen_by_the_browser(stage):
    """Chromium freezes a page in the background. The page shows the present state when it resumes."""
    page = stage.kiosk()
    see(page, "#state", "Locked")
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    stage.server.send(stage.name, "judge", correct=True)
    stage.server.call("advance", by="5s")
    session.send("Page.setWebLifecycleState", {"state": "active"})
    see(page, "#state", "Question")
    page.context.close()


class LatePress:
    """A press whose request is delayed until the test releases it."""

    def __init__(self, page, selector):
        self.page, self.held = page, []
        page.route("**/v1/rpc", self.hold)
        page.click(selector)
        for _ in range(6000):
            if self.held:
                return
            page.wait_for_timeout(10)
        raise Failed(f"{selector} sends nothing")

    def hold(self, route):
        if route.request.post_data_json.get("method") == "send" and not self.held:
            return self.held.append(route)
        return route.continue_()

    def arrives(self):
        self.held[0].continue_()


def press_together(stage, desk):
    """Both desks press in the same state. The slower request arrives after the change of the other one."""
    stage.server.send(stage.name, "buzz", player="Les Quizérables")
    other = stage.desk()
    for page in (desk, other):
        see(page, "#now .answers button", "Right")
    before = stage.server.call("status", session=stage.name)["seq"]
    late = LatePress(other, '#now .answers button:text-is("Wrong")')
    desk.click('#now .answers button:text-is("Right")')
    see(desk, "#state", "Reveal")
    late.arrives()
    see(other, "#now .outcome", "another change came first")
    see(other, "#state", "Reveal")
    made = stage.server.call("status", session=stage.name)["seq"] - before
    check(made == 1, f"two desks that press at once made {made} changes")
    other.context.close()


def opens_twice(stage):
    """Two tabs of the same tablet: one buzzes, and the other shows which player was first."""
    stage.server.call("advance", by="5s")
    tablet = stage.kiosk()
    second = tablet.context.new_page()
    second.goto(f"{stage.base}/play/{stage.name}")
    for tab in (tablet, second):
        see(tab, "button[data-event=buzz]")
        tab.fill("#board input[name=player]", "Owls")
    before = stage.server.call("status", session=stage.name)["seq"]
    late = LatePress(second, "button[data-event=buzz]")
    tablet.click("button[data-event=buzz]")
    for tab in (tablet, second):
        see(tab, "#first", "Owls")
    late.arrives()
    see(second, "#notice", "Owls was too late: Owls was first.")
    made = stage.server.call("status", session=stage.name)["seq"] - before
    check(made == 1, f"two tabs of a tablet made {made} changes")
    tablet.context.close()


def loses_an_answer(stage, proxy):
    """The event is accepted, but its answer is lost. Another press repeats the same request."""
    stage.server.call("goto", session=stage.name, state="lobby", data={})
    page = stage.page(through(stage, proxy))
    stage.kiosk(page)
    see(page, "button[data-event=start]")
    ids, answers = [], []

    def lose(route):
        body = route.request.post_data_json
        if body.get("method") != "send":
            return route.continue_()
        ids.append(body["params"]["id"])
        # The page must not get the change from the stream, so its connections are frozen. Both presses reach the server
        # over new connections.
        proxy.freeze()
        answer = stage.server.call("send", **body["params"])
        answers.append(answer["seq"])
        if len(ids) == 1:
            return route.abort()
        return route.fulfill(json={"jsonrpc": "2.0", "id": body["id"], "result": answer})

    page.route("**/v1/rpc", lose)
    page.fill("#board input[name=rounds]", "7")
    page.click("button[data-event=start]")
    see(page, "#notice", "No answer")
    page.click("button[data-event=start]")
    until(page, "() => !document.querySelector('#board [aria-busy=true]')", "a press is never answered")
    gone(page, "#notice")
    check(len(ids) == 2 and ids[0] == ids[1], f"the presses had the ids {ids}")
    check(answers[0] == answers[1], f"the presses made the changes {answers}")
    changes = [each for each in stage.server.history(stage.name)[:3] if each["kind"] != "refused"]
    check([each["kind"] for each in changes][:2] == ["enter", "goto"], f"the last changes are {changes}")
    page.context.close()


def run(stage):
    stage.needs_clock("virtual")
    stage.open("quiz")
    data = {"round": 1, "rounds": 10, "scores": {}, "out": []}
    stage.server.call("goto", session=stage.name, state="question", data=data)
    address = urllib.parse.urlsplit(stage.base)
    desk, hall = stage.desk(), stage.kiosk()
    see(hall, "button[data-event=buzz]")
    says_emoji(stage, desk, hall)
    shows_other_scripts(stage, hall)
    hall.context.close()
    proxy = Proxy(address.hostname, address.port)
    sleeps_and_wakes(stage, proxy)
    is_frozen_by_the_browser(stage)
    press_together(stage, desk)
    opens_twice(stage)
    loses_an_answer(stage, Proxy(address.hostname, address.port))


tell("bad_input", run)
