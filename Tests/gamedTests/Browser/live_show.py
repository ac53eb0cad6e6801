"""A show with a desk, a hall and four tablets. The daemon is killed and the network is lost during presses. Afterwards
all screens show the state in the journal, and no press has been executed twice.
"""

import os
import time
import urllib.parse

from browser import PHONE, TIMEOUT_MS, Failed, check, expect_visible, launch_through, run_script, wait_until
from daemon import Daemon
from web_proxy import WebProxy

PLAYERS = ["Ann", "Bob", "فريق", "北京"]
# The number of questions that are played; `make test-long` plays more.
ROUNDS = 9 if os.environ.get("GAMED_TEST_LONG") else 3
# The quiz has more rounds than are played, so that it does not end.
QUIZ_ROUNDS = 20


class Show:
    """The screens of one session, which share one network connection."""

    def __init__(self, fixture):
        self.fixture = fixture
        server_address = urllib.parse.urlsplit(fixture.base_url)
        self.proxy = WebProxy(server_address.hostname, server_address.port)
        self.daemon = Daemon(fixture.socket_path, fixture.base_url)
        browser = launch_through(fixture, self.proxy)
        self.desk = fixture.desk(fixture.page(browser))
        self.hall = fixture.kiosk(fixture.page(browser))
        self.tablets = [self.open_tablet(browser, name) for name in PLAYERS]

    def open_tablet(self, browser, name):
        """Opens a tablet that joins by an invitation, and so can buzz only with the invited name."""
        invitation = self.fixture.server.call("invite", session=self.fixture.session, **{"as": name, "once": True})
        page = self.fixture.page(browser, PHONE)
        page.goto(invitation["link"])
        page.wait_for_url(f"**/play/{self.fixture.session}")
        expect_visible(page, "#board")
        return page

    @property
    def screens(self):
        return [self.desk, self.hall, *self.tablets]

    def status(self):
        return self.fixture.server.call("status", session=self.fixture.session)

    def wait_for_all(self, title):
        """Waits until all screens are connected and show the state with this title."""
        for page in self.screens:
            try:
                expect_visible(page, "#state", title)
                wait_until(page, "() => !document.body.classList.contains('stale')", "a screen stays grey")
            except Failed as error:
                raise Failed(f"{page.url}: {error}") from None

    def press_all_tablets(self):
        """Presses the button on all four tablets, without waiting for answers."""
        for page in self.tablets:
            expect_visible(page, "button[data-event=buzz]:enabled")
        for page in self.tablets:
            # The button may be gone because of another tablet's press.
            page.evaluate("() => document.querySelector('button[data-event=buzz]')?.click()")

    def changes_by(self, event):
        """The changes that the event has caused."""
        records = self.fixture.server.history(self.fixture.session)
        return [each for each in records if each["kind"] != "refused" and (each.get("event") or {}).get("name") == event]

    def check_screens(self):
        """Checks that all screens show the locked quiz, and that hall and tablets show the same first player.

        If all presses were lost, one tablet buzzes again before the check. A press that was held during the
        disturbance may arrive between two of these steps, so the button may be gone at any time.
        """
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while self.status()["state"] == "question":
            check(time.monotonic() < deadline, "no press locks the quiz")
            self.tablets[0].evaluate("() => document.querySelector('button[data-event=buzz]:enabled')?.click()")
            self.tablets[0].wait_for_timeout(100)
        self.wait_for_all("Locked")
        first_player = self.status()["data"]["player"]
        for page in [self.hall, *self.tablets]:
            expect_visible(page, "#first-player", first_player)

    def judge(self):
        """Judges the answer at the desk, once."""
        count_before = len(self.changes_by("judge"))
        self.desk.click('#present-state .answers button:text-is("Right")')
        self.wait_for_all("Reveal")
        check(len(self.changes_by("judge")) == count_before + 1, "the judgement was not executed exactly once")
        self.fixture.server.call("advance", by="5s")


def kill_daemon(show):
    """Kills the daemon during four presses."""
    show.press_all_tablets()
    show.daemon.kill()
    show.daemon.start()


def cut_network(show):
    """Cuts the network during four presses, and restores it."""
    show.press_all_tablets()
    show.proxy.cut()
    expect_visible(show.hall, "#screen", "Connection lost")
    show.proxy.restore()


def drop_and_kill(show):
    """Drops the connections before and after the daemon is killed."""
    show.press_all_tablets()
    show.proxy.drop()
    show.daemon.kill()
    show.proxy.drop()
    show.daemon.start()


def run(fixture):
    fixture.require_clock("virtual")
    fixture.open("quiz")
    show = Show(fixture)
    try:
        fixture.server.send(fixture.session, "start", rounds=QUIZ_ROUNDS)
        for number, disturb in enumerate([kill_daemon, cut_network, drop_and_kill] * (ROUNDS // 3)):
            show.wait_for_all("Question")
            disturb(show)
            show.check_screens()
            buzzes = len(show.changes_by("buzz"))
            check(buzzes == number + 1, f"after question {number + 1} the journal has {buzzes} presses")
            show.judge()
        show.wait_for_all("Question")
        scores = show.status()["data"]["scores"]
        check(sum(scores.values()) == ROUNDS, f"after {ROUNDS} right answers the scores are {scores}")
        for page in [show.hall, *show.tablets]:
            for name in scores:
                expect_visible(page, "#board .data", name)
    finally:
        show.daemon.stop()


run_script("live_show", run)
