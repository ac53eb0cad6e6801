"""The pages work under unusual conditions:

- long texts of emoji
- names in Arabic and Chinese
- a clock of 100 hours
- a suspended tablet
- simultaneous presses
- a lost answer
"""

import urllib.parse

from browser import Failed, appears, check, expect_hidden, expect_visible, launch_through, run_script, wait_until
from fitting import expect_fit
from web_proxy import WebProxy

SIZES = [(1920, 1080), (1024, 600), (390, 844)]
EMOJI = "🎉" * 200
SCORES = {"فريق البوم الأبيض": 4, "北京猫头鹰队": 3, "Les Quizérables": 2, "🦉🦉🦉": 1}
BOARD_ELEMENTS = "#board :is(button, input, select, .ring, #state, .data li)"


def check_layout(page, label):
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        expect_fit(page, BOARD_ELEMENTS, BOARD_ELEMENTS, f"{label}, {width}x{height}")


def check_emoji_message(fixture, desk, hall):
    """A message of 200 emoji is shown completely, and all buttons stay on the screen. A longer message is refused."""
    desk.click("#present-state details.players-message summary")
    desk.fill("#present-state details.players-message input", EMOJI)
    desk.click("#present-state details.players-message button[type=submit]")
    expect_visible(hall, "#host-message", EMOJI)
    check_layout(hall, "200 emoji")
    # A message has at most 500 Unicode scalars. This text has 504: 72 emoji of 7 scalars each.
    too_long = "👨‍👩‍👧‍👦" * 72
    desk.fill("#present-state details.players-message input", too_long)
    desk.click("#present-state details.players-message button[type=submit]")
    expect_visible(desk, "#present-state details.players-message .answer", "500")
    expect_visible(hall, "#host-message", EMOJI)
    desk.click("#present-state details.players-message button.quiet")
    expect_hidden(hall, "#host-message")


def check_names_and_long_clock(fixture, hall):
    data = {"round": 3, "rounds": 10, "scores": SCORES, "out": []}
    fixture.server.call("goto", session=fixture.session, state="question", data=data)
    for name in SCORES:
        expect_visible(hall, "#board .data", name)
    check_layout(hall, "names in Arabic and Chinese")
    timer = {"session": fixture.session, "fires": "timeUp"}
    fixture.server.call("timer", **timer, action="set", to="100h")
    expect_visible(hall, ".ring[data-fires=timeUp] .digits", "100:00:00")
    check_layout(hall, "a clock of 100 hours")


def check_suspended_tablet(fixture, proxy):
    """The connection transfers nothing for an hour, as on a suspended tablet. Then the page connects again and is updated."""
    page = fixture.page(launch_through(fixture, proxy))
    page.clock.install()
    fixture.kiosk(page)
    expect_visible(page, "#state", "Question")
    proxy.freeze_connections()
    fixture.server.send(fixture.session, "buzz", player="北京猫头鹰队")
    is_unchanged = "() => document.querySelector('#state').textContent.startsWith('Question')"
    check(page.evaluate(is_unchanged), "the page shows a change although its connection is frozen")
    page.clock.fast_forward(3_600_000)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    # The browser may first reuse other frozen connections from its pool. The page gives each try ten seconds.
    for _ in range(10):
        page.clock.run_for(11_000)
        if appears(page, "#state", "Locked"):
            break
    expect_visible(page, "#first-player", "北京猫头鹰队")
    page.context.close()


def check_frozen_page(fixture):
    """Chromium freezes the page, as it freezes pages in the background. The page shows the present state when it resumes."""
    page = fixture.kiosk()
    expect_visible(page, "#state", "Locked")
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    fixture.server.send(fixture.session, "judge", correct=True)
    fixture.server.call("advance", by="5s")
    session.send("Page.setWebLifecycleState", {"state": "active"})
    expect_visible(page, "#state", "Question")
    page.context.close()


class DelayedPress:
    """Presses a button, and holds the request back until `release` is called."""

    def __init__(self, page, selector):
        self.page, self.held_requests = page, []
        page.route("**/v1/rpc", self.hold)
        page.click(selector)
        for _ in range(6000):
            if self.held_requests:
                return
            page.wait_for_timeout(10)
        raise Failed(f"{selector} sends nothing")

    def hold(self, route):
        if route.request.post_data_json.get("method") == "send" and not self.held_requests:
            return self.held_requests.append(route)
        return route.continue_()

    def release(self):
        self.held_requests[0].continue_()


def check_simultaneous_presses(fixture, desk):
    """Two desks press in the same state. The second request arrives after the first request has changed the state."""
    fixture.server.send(fixture.session, "buzz", player="Les Quizérables")
    other_desk = fixture.desk()
    for page in (desk, other_desk):
        expect_visible(page, "#present-state .answers button", "Right")
    seq_before = fixture.server.call("status", session=fixture.session)["seq"]
    delayed_press = DelayedPress(other_desk, '#present-state .answers button:text-is("Wrong")')
    desk.click('#present-state .answers button:text-is("Right")')
    expect_visible(desk, "#state", "Reveal")
    delayed_press.release()
    expect_visible(other_desk, "#present-state .outcome", "another change came first")
    expect_visible(other_desk, "#state", "Reveal")
    change_count = fixture.server.call("status", session=fixture.session)["seq"] - seq_before
    check(change_count == 1, f"two desks that press at once made {change_count} changes")
    other_desk.context.close()


def check_two_tabs(fixture):
    """Two tabs of one tablet buzz. The second request arrives too late, and both tabs show which player was first."""
    fixture.server.call("advance", by="5s")
    tablet = fixture.kiosk()
    second_tab = tablet.context.new_page()
    second_tab.goto(f"{fixture.base_url}/play/{fixture.session}")
    for tab in (tablet, second_tab):
        expect_visible(tab, "button[data-event=buzz]")
        tab.fill("#board input[name=player]", "Owls")
    seq_before = fixture.server.call("status", session=fixture.session)["seq"]
    delayed_press = DelayedPress(second_tab, "button[data-event=buzz]")
    tablet.click("button[data-event=buzz]")
    for tab in (tablet, second_tab):
        expect_visible(tab, "#first-player", "Owls")
    delayed_press.release()
    expect_visible(second_tab, "#notice", "Owls was too late: Owls was first.")
    change_count = fixture.server.call("status", session=fixture.session)["seq"] - seq_before
    check(change_count == 1, f"two tabs of a tablet made {change_count} changes")
    tablet.context.close()


def check_lost_answer(fixture, proxy):
    """The event is accepted, but the page does not receive the answer. The next press repeats the request with the same id."""
    fixture.server.call("goto", session=fixture.session, state="lobby", data={})
    page = fixture.page(launch_through(fixture, proxy))
    fixture.kiosk(page)
    expect_visible(page, "button[data-event=start]")
    ids, answers = [], []

    def lose_first_answer(route):
        body = route.request.post_data_json
        if body.get("method") != "send":
            return route.continue_()
        ids.append(body["params"]["id"])
        # The page must not receive the change on its event stream, so its connections are frozen. The test sends the
        # page's requests to the server itself.
        proxy.freeze_connections()
        answer = fixture.server.call("send", **body["params"])
        answers.append(answer["seq"])
        if len(ids) == 1:
            return route.abort()
        return route.fulfill(json={"jsonrpc": "2.0", "id": body["id"], "result": answer})

    page.route("**/v1/rpc", lose_first_answer)
    page.fill("#board input[name=rounds]", "7")
    page.click("button[data-event=start]")
    expect_visible(page, "#notice", "No answer")
    page.click("button[data-event=start]")
    wait_until(page, "() => !document.querySelector('#board [aria-busy=true]')", "a press is never answered")
    expect_hidden(page, "#notice")
    check(len(ids) == 2 and ids[0] == ids[1], f"the presses had the ids {ids}")
    check(answers[0] == answers[1], f"the presses made the changes {answers}")
    changes = [change for change in fixture.server.history(fixture.session)[:3] if change["kind"] != "refused"]
    check([change["kind"] for change in changes][:2] == ["enter", "goto"], f"the last changes are {changes}")
    page.context.close()


def run(fixture):
    fixture.require_clock("virtual")
    fixture.open("quiz")
    data = {"round": 1, "rounds": 10, "scores": {}, "out": []}
    fixture.server.call("goto", session=fixture.session, state="question", data=data)
    address = urllib.parse.urlsplit(fixture.base_url)
    desk, hall = fixture.desk(), fixture.kiosk()
    expect_visible(hall, "button[data-event=buzz]")
    check_emoji_message(fixture, desk, hall)
    check_names_and_long_clock(fixture, hall)
    hall.context.close()
    proxy = WebProxy(address.hostname, address.port)
    check_suspended_tablet(fixture, proxy)
    check_frozen_page(fixture)
    check_simultaneous_presses(fixture, desk)
    check_two_tabs(fixture)
    check_lost_answer(fixture, WebProxy(address.hostname, address.port))


run_script("bad_input", run)
