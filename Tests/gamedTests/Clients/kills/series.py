"""Rounds in one state directory: each round starts with the journal of the round before."""

import os
import shutil
import time

from comparison import Comparison
from daemon import Daemon
from damage import KINDS, newest_position
from journal import Journal
from messages import Messages
from request_generator import RequestGenerator
from round import Round
from violation import expect

#: The longest time of load, in seconds.
LOAD_SECONDS = 0.2
#: The number of answered requests that are repeated after a restart.
REPEATED_REQUESTS = 40
#: The number of sessions whose history is read after a restart.
READ_HISTORIES = 2


class Series:
    """The rounds in one state directory."""

    COUNTED = (
        "rounds", "kills during a start", "requests sent under load",
        "events acknowledged", "compared changes", "compared statuses",
        "kills with unanswered requests", "unanswered events with an id",
        "unanswered events that were executed",
    )

    def __init__(self, program, directory, random, totals, request_limit, damage):
        self._program, self._directory, self._random = program, directory, random
        self._totals, self._request_limit = totals, request_limit
        # The function that damages the journal on purpose, so that a check must find the damage; None if nothing is damaged.
        # The second value says when the damage is done: true means after the checks of a round have read the journal. Then
        # only a comparison with the messages of the restarted daemon can find the damage.
        self._damage, self._damages_checked_rows = KINDS[damage] if damage else (None, False)
        self._state = f"{directory}/state"
        self._messages, self._journal = Messages(), Journal()
        self._generator = RequestGenerator(random, self._messages)
        self._comparison = Comparison(self._messages, self._journal)
        self._unanswered = []

    def round(self):
        """Runs and kills the daemon, and checks its journal."""
        with self._start() as daemon:
            round = Round(daemon, self._random, self._messages, self._generator)
            self._check_state(round)
            round.load(
                self._random.uniform(0, LOAD_SECONDS), self._random.uniform(0, self._request_limit))
            daemon.kill()
        waiting = round.drain()
        self._totals["kills with unanswered requests"] += waiting > 0
        self._compare()
        # A start between the damage and the next check would write rows, and another check than the expected one could
        # find the damage.
        if not self._damage and self._random.random() < 0.15:
            self._kill_during_start()

    def end(self):
        """Runs the daemon once more, ends it cleanly, and checks its journal."""
        with self._start() as daemon:
            round = Round(daemon, self._random, self._messages, self._generator)
            self._check_state(round)
            round.ask([])  # waits for the replies that are still missing
            daemon.end()
        round.drain()
        self._compare()

    def _start(self):
        # Each start of the daemon is a process with a number, from 0. The journal counts the processes whose rows it has read.
        self._messages.process = self._journal.process_count
        return Daemon(self._program, self._directory, f"{self._directory}/log")

    def _kill_during_start(self):
        """Starts the daemon and kills it before its first request."""
        with self._start() as daemon:
            time.sleep(self._random.uniform(0, 0.03))
            daemon.kill()
        self._totals["kills during a start"] += 1
        self._journal.read(self._state, f"{self._directory}/copy")

    # after a start

    def _check_state(self, round):
        """Compares the state of the daemon with its earlier messages, and repeats unanswered requests."""
        entries = round.sessions()
        listed = {entry["session"] for entry in entries}
        if self._journal.process_count > 0:
            self._comparison.check_listed(entries)
        round.request_statuses(sorted(listed))
        answered = self._messages.repeatable()
        answered = self._random.sample(answered, min(REPEATED_REQUESTS, len(answered)))
        self._check_executed_once(round.repeat(self._unanswered, answered))
        still_open = sorted(name for name in listed if name in self._journal.open_sessions())
        for session in self._random.sample(still_open, min(READ_HISTORIES, len(still_open))):
            self._comparison.check_history(session, round.history(session))
        round.open_and_watch(listed)

    def _check_executed_once(self, repeated):
        """Checks that requests that were executed but not answered are not executed again."""
        openings = self._journal.open_sessions()
        for request in repeated:
            opening = openings.get(request.params["session"])
            row = opening and opening.ids.get(request.params["id"])
            if row:
                expect(
                    request.result_text, "an executed request is refused when it is repeated",
                    request, row)
                expect(
                    request.reply.result["pos"] == row.body["pos"],
                    "a request is executed twice", request, row)

    # after a kill

    def _compare(self):
        """Compares all messages of the daemon with its journal."""
        if not self._damages_checked_rows:
            self._do_damage()
        self._journal.read(self._state, f"{self._directory}/copy")
        self._comparison.check_messages()
        if self._damages_checked_rows:
            self._do_damage()
        self._count()

    def _do_damage(self):
        """Damages or removes the row of a change that was acknowledged since the last start.

        The row must be newer than all rows that earlier rounds have checked. Otherwise another check than the intended one
        would find the damage. The function also needs an older copy of the state directory. If the row or the copy is missing,
        the function only makes a copy, and the next round tries again.
        """
        if not self._damage:
            return
        older = f"{self._directory}/older"
        position = newest_position(self._state, self._messages) if self._messages.acknowledged_requests else 0
        # The position of the last row that the checks of earlier rounds have read. If the checks of this round have read the
        # journal already, the rows of the newest process are not among these rows.
        earlier_end = self._journal.end_of_earlier_rows(newest_is_read=self._damages_checked_rows)
        if os.path.exists(older) and position > earlier_end:
            self._damage(self._state, self._messages, older)
        else:
            shutil.rmtree(older, ignore_errors=True)
            shutil.copytree(self._state, older)

    def _count(self):
        messages, totals, comparison = self._messages, self._totals, self._comparison
        self._unanswered = list(messages.unanswered.values())
        messages.unanswered.clear()
        executed = [
            params for params in self._unanswered
            if any(params["id"] in opening.ids
                   for opening in self._journal.openings.get(params["session"], []))]
        totals["unanswered events with an id"] += len(self._unanswered)
        totals["unanswered events that were executed"] += len(executed)
        totals["requests sent under load"] += messages.load_requests
        totals["events acknowledged"] += messages.acknowledged_events
        totals["compared changes"] += comparison.changes
        totals["compared statuses"] += comparison.statuses
        messages.load_requests = messages.acknowledged_events = 0
        comparison.changes = comparison.statuses = 0
