"""Compares the daemon's messages with its journal."""

from journal import CHANGE
from violation import expect

#: The largest difference between the daemon's clock and the clock of this program, in milliseconds.
CLOCK_TOLERANCE = 25
#: The timers that do not run while the daemon is down, each with its flow. All other timers keep their deadlines. A flow with
#: the suffix `-file` is the same flow as a flow file.
STOPPED_TIMERS = {
    (flow + suffix, fires) for suffix in ("", "-file")
    for flow, fires in (("game", "timeUp"), ("quiz", "timeUp"), ("quiz", "answerTimedOut"))}


class Comparison:
    """Compares messages with rows, and counts the comparisons."""

    def __init__(self, messages, journal):
        self._messages, self._journal = messages, journal
        self.changes = self.statuses = 0

    def check_messages(self):
        """Checks that all messages that the daemon has sent since the last check agree with the journal."""
        messages = self._messages
        for change in messages.unchecked_changes:
            self._change(change)
        for sent in messages.statuses:
            self._status(sent)
        for entry in messages.list_entries:
            self._list_entry(entry)
        for session, last in messages.last_changes:
            self._last_change(session, last)
        for status in messages.closed:
            self._closed(status)
        for id, request in messages.acknowledged_requests.items():
            self._acknowledged_request(id, request)
        for checked in (messages.unchecked_changes, messages.statuses, messages.list_entries,
                        messages.last_changes, messages.closed):
            checked.clear()

    def _change(self, change):
        row = self._journal.changes.get(change["pos"])
        expect(row, "a change was sent that is not in the journal", change)
        sent = {name: value for name, value in change.items() if name != "time"}
        expect(
            sent == row.change(), "a change was sent that differs from the journal", sent,
            row.change())
        self.changes += 1

    def _acknowledged_request(self, id, request):
        rows = [
            opening.ids[id]
            for opening in self._journal.openings[request.params["session"]] if id in opening.ids]
        expect(len(rows) == 1, f"{len(rows)} rows have the id {id}", request.result_text)
        expect(
            rows[0].body["pos"] == request.reply.result["pos"],
            f"another change has the id {id}", request.result_text, rows[0])

    # the status of sessions

    def _rows(self, session, seq, opened=None):
        """The rows of a session with this seq, each with its `Opening`: the session from one `open` to the next `close`.

        In each opening, the first row with this seq is a change. The others are rests, such as a timer that fired without a
        change. With `opened`, in milliseconds, only the rows of the opening at this time are returned.
        """
        return [
            (opening, row)
            for opening in self._journal.openings.get(session, [])
            if opened is None or opening.opened // 1_000_000 == opened
            for row in opening.rows[seq - 1 :]
            if row.seq == seq
        ]

    def _list_entry(self, entry):
        rows = self._rows(entry["session"], entry["seq"])
        states = [row.body["to"]["state"] for _, row in rows if row.body["to"]]
        expect(
            entry["state"] in states, "a list has a state that is not in the journal", entry, states)

    def _last_change(self, session, last):
        """Checks the last change that a refusal names."""
        for _, row in self._rows(session, last["seq"]):
            event = row.body["event"] or {"name": None, "args": {}}
            summary = {
                "event": event["name"], "args": event["args"], "source": row.body["source"],
                "seq": row.seq, "atMs": row.at // 1_000_000}
            if summary == last:
                return
        expect(False, "a refusal names a change that is not in the journal", session, last)

    def _closed(self, status):
        rows = self._rows(status["session"], status["seq"] + 1, status["openedMs"])
        expect(
            any(row.body["kind"] == "close" for _, row in rows),
            "the journal has no end of a closed session", status)

    def _status(self, sent):
        status = sent.status
        rows = self._rows(status["session"], status["seq"], status["openedMs"])
        expect(rows, "a status was sent of a session that is not in the journal", status)
        differences = [self._difference(sent, row) for _, row in rows]
        expect(
            None in differences, f"a status was sent that differs from the journal: {differences}",
            sent, *(row for _, row in rows))
        self.statuses += 1

    def _difference(self, sent, row):
        """The difference of a status from a row, in words; None if they agree."""
        status, body = sent.status, row.body
        if body["to"] is None:
            return "the session is closed"
        if {"state": status["state"], "data": status["data"]} != body["to"]:
            return "state or data"
        if status["deferred"] != len(body["waiting"]):
            return "deferred"
        recorded = {timer["fires"]: timer for timer in body["timers"]}
        if {timer["fires"] for timer in status["timers"]} != set(recorded):
            return "the names of the timers"
        for shown in status["timers"]:
            difference = self._timer_difference(shown, recorded[shown["fires"]], sent, row)
            if difference:
                return f"{shown['fires']}: {difference}"
        return None

    def _timer_difference(self, shown, recorded, sent, row):
        """The difference of a timer in a status (`shown`) from the timer in a row (`recorded`); None if they agree."""
        remaining = shown["remainingMs"]
        if shown["totalMs"] != ceil_to_ms(int(recorded["totalNs"])):
            return "totalMs"
        if shown["paused"] != ("leftNs" in recorded):
            return "paused"
        if shown["paused"]:
            return None if remaining == ceil_to_ms(int(recorded["leftNs"])) else "remainingMs"
        if shown["kind"] == "pendulum":
            return None if 0 < remaining <= shown["totalMs"] else "remainingMs is outside of the period"
        deadline = int(recorded["untilNs"])
        least = deadline / 1e6 - sent.before * 1e3 - CLOCK_TOLERANCE
        most = deadline / 1e6 - sent.after * 1e3 + CLOCK_TOLERANCE
        if (sent.status["flow"], shown["fires"]) in STOPPED_TIMERS:
            if sent.process > self._journal.process_of(row):
                # The timer was stopped while the daemon was down, for a time that only the daemon knows.
                most = ceil_to_ms(deadline - row.at)
        if remaining < least:
            return f"{remaining} ms remain, at least {least:.0f} were expected"
        return None if remaining <= most else f"{remaining} ms remain, at most {most:.0f} were expected"

    # after a restart

    def check_listed(self, entries):
        """Checks that a reply to `list` has the sessions that were open. These sessions must have lost no change."""
        openings = self._journal.open_sessions()
        names = {entry["session"] for entry in entries}
        expect(
            names - {"main"} == set(openings) - {"main"}, "the open sessions differ from the journal",
            f"open: {sorted(names)}", f"in the journal: {sorted(openings)}")
        for entry in entries:
            opening = openings.get(entry["session"])
            if opening:
                expect(
                    entry["seq"] >= opening.seq, "a session has lost its last changes", entry,
                    opening.rows[-1])

    def check_history(self, session, records):
        """Checks that the history of a session, newest first, contains all changes of the journal."""
        opening = self._journal.open_sessions()[session]
        recorded = [row.change() for row in opening.rows if row.kind == CHANGE]
        sent = [
            {name: value for name, value in record.items() if name != "time"}
            for record in reversed(records)
            if record["kind"] != "refused"]
        expect(
            sent[: len(recorded)] == recorded, f"the history of {session} differs from the journal",
            f"{len(sent)} changes in the history, {len(recorded)} in the journal")


def ceil_to_ms(nanoseconds):
    """The milliseconds, rounded up."""
    return -(-nanoseconds // 1_000_000)
