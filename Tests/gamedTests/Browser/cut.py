"""The connection is lost and restored. The page reports the loss and the return, and shows each change exactly once."""

import threading
import urllib.parse

from playwright.sync_api import TimeoutError

from browser import (
    Failed, Refusal, appears, check, expect_hidden, expect_visible, launch_through, log_positions, run_script,
    select_session, wait_until,
)
from web_proxy import WebProxy

TURNS = 40
MAX_TRIES = 8


def play_and_return(server, session):
    """Sends events that cause four changes and a refusal. The last change returns to the initial state."""
    server.send(session, "startPlaying")
    server.send(session, "chooseEpisode", episode=1)
    try:
        server.send(session, "chooseLevel", level=99)
    except Refusal:
        pass
    server.send(session, "chooseLevel", level=2)
    server.send(session, "returnHome")


def check_log(fixture, page, session):
    """Checks that the desk's log contains each change of the history once, in the same order."""
    records = fixture.server.history(session)
    expected_positions = [record["pos"] for record in records if record["kind"] != "refused"]
    refusal_count = len(records) - len(expected_positions)
    script = """([newest, refusals]) =>
        document.querySelector('#log li[data-pos]')?.dataset.pos === String(newest)
        && document.querySelectorAll('#log li[data-kind=refused]').length === refusals"""
    try:
        page.wait_for_function(script, arg=[expected_positions[0], refusal_count])
    except TimeoutError:
        shown_refusals = page.locator("#log li[data-kind=refused]").count()
        raise Failed(
            f"the log should show #{expected_positions[0]} and {refusal_count} refusals, "
            f"and shows {log_positions(page)[:1]} and {shown_refusals}"
        ) from None
    shown_positions = log_positions(page)
    is_equal = shown_positions == expected_positions
    check(is_equal, f"the log shows {shown_positions}, the history has {expected_positions}")


def check_connection_loss(fixture, page, proxy, session):
    """While the connection is lost, a banner counts down and buttons are disabled. Then the log shows all missed changes."""
    proxy.cut()
    expect_visible(page, "#banner", "Connection lost")
    shows_seconds = "() => /lost, [2-9] s/.test(document.querySelector('#banner').textContent)"
    wait_until(page, shows_seconds, "the banner does not say for how many seconds")
    check(page.is_disabled("button[data-event=startPlaying]"), "a button can still be pressed")
    expect_visible(page, "#connection-state", "No connection")
    play_and_return(fixture.server, session)
    fixture.server.send(session, "startPlaying")
    proxy.restore()
    expect_hidden(page, "#banner")
    expect_visible(page, "#state", "Choosing episode")
    check(page.is_enabled("button[data-event=chooseEpisode]"), "the buttons are still disabled after the reconnection")
    check_log(fixture, page, session)
    fixture.server.send(session, "returnHome")


def check_repeated_cuts(fixture, page, proxy, session):
    """Closes the connection repeatedly while changes arrive. The page can connect again at once."""

    def play():
        for _ in range(TURNS):
            play_and_return(fixture.server, session)

    player = threading.Thread(target=play)
    player.start()
    while player.is_alive():
        page.wait_for_timeout(150)
        proxy.drop()
    expect_visible(page, "#connection-state[data-state=open]", "Live")
    check_log(fixture, page, session)


def is_history_request(route):
    return '"method":"history"' in (route.request.post_data or "")


def check_failed_history(fixture, page, session):
    """A request for the history fails while the stream is connected. The page repeats the request."""
    aborted = []

    def abort_once(route):
        if is_history_request(route) and not aborted:
            aborted.append(route)
            route.abort()
        else:
            route.continue_()

    select_session(page, "main")
    page.route("**/v1/rpc", abort_once)
    select_session(page, session)
    check_log(fixture, page, session)
    page.unroute("**/v1/rpc")
    check(aborted, "no request for the history was aborted")


def check_overtaken_refusal(fixture, page, proxy, session):
    """The history contains a refusal that the slower stream delivers later. The log shows it once."""

    def bypass_proxy(route):
        if is_history_request(route):
            # Playwright fetches the response on a connection of its own, which does not go through the proxy.
            route.fulfill(response=route.fetch())
        else:
            route.continue_()

    expect_visible(page, "#connection-state[data-state=open]", "Live")
    page.route("**/v1/rpc", bypass_proxy)
    count_before = page.locator("#log li[data-kind=refused]").count()
    proxy.hold_connections()
    try:
        fixture.server.send(session, "chooseLevel", level=99)
    except Refusal:
        pass
    select_session(page, "main")
    select_session(page, session)
    script = "count => document.querySelectorAll('#log li[data-kind=refused]').length === count"
    wait_until(page, script, "the refusal in the history is not shown", count_before + 1)
    proxy.release()
    fixture.server.send(session, "startPlaying")
    expect_visible(page, "#state", "Choosing episode")
    check_log(fixture, page, session)
    page.unroute("**/v1/rpc")
    fixture.server.send(session, "returnHome")


def check_silent_connection(fixture, browser, proxy, session):
    """The connection stays open but sends nothing. After 35 s without a byte the page connects again."""
    page = fixture.page(browser)
    page.clock.install()
    fixture.desk(page)
    proxy.freeze_connections()
    fixture.server.send(session, "displayHelp")
    # The page's clock also runs by itself, while the machine is busy with other things.
    page.clock.run_for(20_000)
    expect_visible(page, "#state", "Introduction")
    # The browser may first reuse other frozen connections from its pool. Each of these tries takes ten seconds more.
    for _ in range(MAX_TRIES):
        page.clock.run_for(11_000)
        if appears(page, "#state", "Help"):
            break
    expect_visible(page, "#state", "Help")
    check_log(fixture, page, session)


def check_announcements(fixture, browser, proxy):
    """The players' page announces to screen readers that the connection is lost, and that it is restored."""
    page = fixture.kiosk(fixture.page(browser))
    expect_visible(page, "#board button")
    proxy.cut()
    expect_visible(page, "#screen", "Connection lost")
    is_announced = "word => document.querySelector('#announcer').textContent.includes(word)"
    wait_until(page, is_announced, "the page does not announce that the connection is lost", "Connection lost")
    proxy.restore()
    expect_hidden(page, "#screen")
    wait_until(page, is_announced, "the page does not announce that the connection is back", "The connection is back.")
    page.context.close()


def run(fixture):
    session = fixture.open()
    address = urllib.parse.urlsplit(fixture.base_url)
    proxy = WebProxy(address.hostname, address.port or 80)
    browser = launch_through(fixture, proxy)
    page = fixture.desk(fixture.page(browser))
    check_connection_loss(fixture, page, proxy, session)
    check_announcements(fixture, browser, proxy)
    check_overtaken_refusal(fixture, page, proxy, session)
    check_failed_history(fixture, page, session)
    check_repeated_cuts(fixture, page, proxy, session)
    check_silent_connection(fixture, browser, proxy, session)


run_script("cut", run)
