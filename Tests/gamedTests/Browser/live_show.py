"""A show with a desk, a hall and four tablets. The daemon is killed and the network is lost during presses. Afterwards
all screens show the state of the journal, and no press was executed twice.
"""

import os
import urllib.parse

from browser import PHONE, Failed, check, see, tell, through, until
from daemon import Daemon
from proxy import Proxy

PLAYERS = ["Ann", "Bob", "فريق", "北京"]
# `make test-long` plays more rounds.
ROUNDS = 9 if os.environ.get("GAMED_TEST_LONG") else 3
MORE = 20


class Show:
    """The screens of one session, which share one network connection."""

    def __init__(self, stage):
        self.stage = stage
        address = urllib.parse.urlsplit(stage.base)
        self.proxy = Proxy(address.hostname, address.port)
        self.daemon = Daemon(stage.socket, stage.base)
        browser = through(stage, self.proxy)
        self.desk = stage.desk(stage.page(browser))
        self.hall = stage.kiosk(stage.page(browser))
        self.tablets = [self.tablet(browser, name) for name in PLAYERS]

    def tablet(self, browser, name):
        """A tablet that has joined by an invitation, and can buzz as only one player."""
        made = self.stage.server.call("invite", session=self.stage.name, **{"as": name, "once": True})
        page = self.stage.page(browser, PHONE)
        page.goto(made["link"])
        page.wait_for_url(f"**/play/{self.stage.name}")
        see(page, "#board")
        return page

    @property
    def screens(self):
        return [self.desk, self.hall, *self.tablets]

    def status(self):
        return self.stage.server.call("status", session=self.stage.name)

    def all_show(self, title):
        """Waits until all screens are connected and show a state."""
        for page in self.screens:
            try:
                see(page, "#state", title)
                until(page, "() => !document.body.classList.contains('stale')", "a screen stays grey")
            except Failed as problem:
                raise Failed(f"{page.url}: {problem}") from None

    def press_all(self):
        """Presses the button on all four tablets, without waiting for answers."""
        for page in self.tablets:
            see(page, "button[data-event=buzz]:enabled")
        for page in self.tablets:
            # The button may be gone because of another tablet's press.
            page.evaluate("() => document.querySelector('button[data-event=buzz]')?.click()")

    def changes(self, event):
        records = self.stage.server.history(self.stage.name)
        return [each for each in records if each["kind"] != "refused" and (each.get("event") or {}).get("name") == event]

    def settle(self):
        """Checks that all screens show the present state and the same first player."""
        status = self.status()
        if status["state"] == "question":
            self.all_show("Question")
            self.tablets[0].click("button[data-event=buzz]")
            status = self.status()
        self.all_show("Locked")
        first = status["data"]["player"]
        for page in [self.hall, *self.tablets]:
            see(page, "#first", first)

    def judge(self):
        """Judges the answer at the desk, once."""
        before = len(self.changes("judge"))
        self.desk.click('#now .answers button:text-is("Right")')
        self.all_show("Reveal")
        check(len(self.changes("judge")) == before + 1, "the judgement was not taken once")
        self.stage.server.call("advance", by="5s")


def is_killed(show):
    """Kills the daemon during four presses."""
    show.press_all()
    show.daemon.kill()
    show.daemon.start()


def is_cut_off(show):
    """Cuts the network during four presses, and restores it."""
    show.press_all()
    show.proxy.cut()
    see(show.hall, "#screen", "Connection lost")
    show.proxy.restore()


def is_shaken(show):
    """Cuts the connections and kills the daemon."""
    show.press_all()
    show.proxy.drop()
    show.daemon.kill()
    show.proxy.drop()
    show.daemon.start()


def run(stage):
    stage.needs_clock("virtual")
    stage.open("quiz")
    show = Show(stage)
    try:
        stage.server.send(stage.name, "start", rounds=MORE)
        for number, trouble in enumerate([is_killed, is_cut_off, is_shaken] * (ROUNDS // 3)):
            show.all_show("Question")
            trouble(show)
            show.settle()
            buzzes = len(show.changes("buzz"))
            check(buzzes == number + 1, f"after question {number + 1} the journal has {buzzes} presses")
            show.judge()
        show.all_show("Question")
        scores = show.status()["data"]["scores"]
        check(sum(scores.values()) == ROUNDS, f"after {ROUNDS} right answers the scores are {scores}")
        for page in [show.hall, *show.tablets]:
            for name in scores:
                see(page, "#board .data", name)
    finally:
        show.daemon.stop()


tell("live_show", run)
