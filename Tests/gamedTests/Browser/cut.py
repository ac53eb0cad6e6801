"""The connection is lost and restored. The page reports both, and no change is lost or shown twice."""

import threading
import urllib.parse

from browser import Refused, check, comes, gone, log_positions, see, tell, through, until
from proxy import Proxy

TURNS = 40
MOST_TRIES = 8


def play_around(server, session):
    """Events that return to the first state: four changes, and a refusal."""
    server.send(session, "startPlaying")
    server.send(session, "chooseEpisode", episode=1)
    try:
        server.send(session, "chooseLevel", level=99)
    except Refused:
        pass
    server.send(session, "chooseLevel", level=2)
    server.send(session, "returnHome")


def compare(stage, page, session):
    """The log contains each change of the history once, in the same order."""
    records = stage.server.history(session)
    wanted = [record["pos"] for record in records if record["kind"] != "refused"]
    refusals = len(records) - len(wanted)
    script = """([newest, refusals]) =>
        document.querySelector('#log li[data-pos]')?.dataset.pos === String(newest)
        && document.querySelectorAll('#log li[data-kind=refused]').length === refusals"""
    sentence = f"the log does not come to #{wanted[0]} and {refusals} refusals"
    until(page, script, sentence, [wanted[0], refusals])
    shown = log_positions(page)
    check(shown == wanted, f"the log shows {shown}, the history has {wanted}")


def is_said(stage, page, proxy, session):
    """The banner counts down, buttons are disabled, and all missed changes are shown afterwards."""
    proxy.cut()
    see(page, "#banner", "Connection lost")
    pattern = "() => /lost, [2-9] s/.test(document.querySelector('#banner').textContent)"
    until(page, pattern, "the banner does not say for how many seconds")
    check(page.is_disabled("button[data-event=startPlaying]"), "a button can still be pressed")
    see(page, "#link", "No connection")
    play_around(stage.server, session)
    stage.server.send(session, "startPlaying")
    proxy.restore()
    gone(page, "#banner")
    see(page, "#state", "Choosing episode")
    check(page.is_enabled("button[data-event=chooseEpisode]"), "no button can be pressed again")
    compare(stage, page, session)
    stage.server.send(session, "returnHome")


def is_torn(stage, page, proxy, session):
    """Cuts the connection repeatedly while changes arrive."""

    def play():
        for _ in range(TURNS):
            play_around(stage.server, session)

    player = threading.Thread(target=play)
    player.start()
    while player.is_alive():
        page.wait_for_timeout(150)
        proxy.drop()
    see(page, "#link[data-link=open]", "Live")
    compare(stage, page, session)


def is_silent(stage, browser, proxy, session):
    """The connection stays open but sends nothing. After 35 s without a byte the page connects again."""
    page = stage.page(browser)
    page.clock.install()
    stage.desk(page)
    proxy.freeze()
    stage.server.send(session, "displayHelp")
    page.clock.run_for(34_000)
    see(page, "#state", "Introduction")
    # The browser may first reuse frozen connections that it has kept. Each of them takes ten seconds more.
    for _ in range(MOST_TRIES):
        page.clock.run_for(11_000)
        if comes(page, "#state", "Help"):
            break
    see(page, "#state", "Help")
    compare(stage, page, session)


def is_heard(stage, browser, proxy):
    """The players' page announces the loss to screen readers, and does not announce it again afterwards."""
    page = stage.kiosk(stage.page(browser))
    see(page, "#board button")
    proxy.cut()
    see(page, "#screen", "Connection lost")
    heard = "word => document.querySelector('#announcer').textContent.includes(word)"
    until(page, heard, "no voice says that the connection is lost", "Connection lost")
    proxy.restore()
    gone(page, "#screen")
    until(page, heard, "no voice says that the connection is back", "The connection is back.")
    page.context.close()


def run(stage):
    session = stage.open()
    address = urllib.parse.urlsplit(stage.base)
    proxy = Proxy(address.hostname, address.port or 80)
    browser = through(stage, proxy)
    page = stage.desk(stage.page(browser))
    is_said(stage, page, proxy, session)
    is_heard(stage, browser, proxy)
    is_torn(stage, page, proxy, session)
    is_silent(stage, browser, proxy, session)


tell("cut", run)
