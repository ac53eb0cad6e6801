"""Rounds in one state directory: each starts with the journal of the one before."""

import os
import shutil
import time

from daemon import Daemon
from damage import KINDS, newest
from journal import Journal
from players import Players
from round import Round
from told import Told
from verdict import Verdict
from violation import expect

#: The longest time of load, in seconds.
LOAD = 0.2
#: The number of answered requests that are repeated after a restart, and of sessions whose history is read.
AGAIN, HISTORIES = 40, 2


class Series:
    """The rounds in one state directory."""

    COUNTED = (
        "rounds", "starts that were killed as well", "requests sent under load",
        "events acknowledged", "changes told that were compared", "sessions shown that were compared",
        "kills with unanswered requests", "events with an id that were unanswered",
        "of which were done all the same",
    )

    def __init__(self, program, directory, random, totals, most, damage):
        self._program, self._directory, self._random = program, directory, random
        self._totals, self._most = totals, most
        self._damage, self._is_behind = KINDS[damage] if damage else (None, False)
        self._state = f"{directory}/state"
        self._told, self._journal = Told(), Journal()
        self._players = Players(random, self._told)
        self._verdict = Verdict(self._told, self._journal)
        self._lost = []

    def round(self):
        """Runs and kills the daemon, and checks its journal."""
        daemon = self._start()
        try:
            round = Round(daemon, self._random, self._told, self._players)
            self._look(round)
            round.load(self._random.uniform(0, LOAD), self._random.uniform(0, self._most))
            daemon.kill()
        finally:
            daemon.process.kill()
        waiting = round.drain()
        self._totals["kills with unanswered requests"] += waiting > 0
        self._examine()
        if self._random.random() < 0.15:
            self._stillborn()

    def end(self):
        """Runs the daemon once more, ends it cleanly, and checks its journal."""
        daemon = self._start()
        round = Round(daemon, self._random, self._told, self._players)
        self._look(round)
        round.ask([])
        daemon.end()
        round.drain()
        self._examine()

    def _start(self):
        self._told.life = len(self._journal.heads)
        return Daemon(self._program, self._directory, f"{self._directory}/log")

    def _stillborn(self):
        """Starts the daemon and kills it before its first request."""
        daemon = self._start()
        time.sleep(self._random.uniform(0, 0.03))
        daemon.kill()
        self._totals["starts that were killed as well"] += 1
        self._journal.read(self._state, f"{self._directory}/copy")

    # after a start

    def _look(self, round):
        """Compares the state of the daemon with its earlier messages, and repeats unanswered requests."""
        lines = round.sessions()
        known = {line["session"] for line in lines}
        if self._journal.heads:
            self._verdict.goes_on(lines)
        round.show(sorted(known))
        answered = self._told.remembered()
        answered = self._random.sample(answered, min(AGAIN, len(answered)))
        self._check_again(round.ask_again(self._lost, answered))
        lasting = sorted(name for name in known if name in self._journal.open_stays())
        for session in self._random.sample(lasting, min(HISTORIES, len(lasting))):
            self._verdict.is_history(session, round.history(session))
        round.begin(known)

    def _check_again(self, lost):
        """Checks that requests that were executed but not answered are not executed again."""
        stays = self._journal.open_stays()
        for asked in lost:
            stay = stays.get(asked.params["session"])
            row = stay and stay.ids.get(asked.params["id"])
            if row:
                expect(asked.raw, "what was done is refused when it is sent again", asked, row)
                expect(
                    asked.reply.result["pos"] == row.body["pos"],
                    "what was done is done again", asked, row)

    # after a kill

    def _examine(self):
        """Compares all messages of the daemon with its journal."""
        if not self._is_behind:
            self._do_damage()
        self._journal.read(self._state, f"{self._directory}/copy")
        self._verdict.all_told_is_kept()
        if self._is_behind:
            self._do_damage()
        self._count()

    def _do_damage(self):
        """Damages a row that was acknowledged since the last start. No check has read it yet, so the check
        for which the damage is meant finds it first. If there is no such row, the next round tries again."""
        if not self._damage:
            return
        older = f"{self._directory}/older"
        acknowledged = self._told.answers and newest(self._state, self._told)
        if os.path.exists(older) and acknowledged > self._journal.unread_after(self._is_behind):
            self._damage(self._state, self._told, older)
        else:
            shutil.rmtree(older, ignore_errors=True)
            shutil.copytree(self._state, older)

    def _count(self):
        told, totals, verdict = self._told, self._totals, self._verdict
        self._lost = list(told.unanswered.values())
        told.unanswered.clear()
        done = [
            params for params in self._lost
            if any(params["id"] in stay.ids
                   for stay in self._journal.stays.get(params["session"], []))]
        totals["events with an id that were unanswered"] += len(self._lost)
        totals["of which were done all the same"] += len(done)
        totals["requests sent under load"] += told.events
        totals["events acknowledged"] += told.acknowledged
        totals["changes told that were compared"] += verdict.changes
        totals["sessions shown that were compared"] += verdict.sights
        told.events = told.acknowledged = verdict.changes = verdict.sights = 0
