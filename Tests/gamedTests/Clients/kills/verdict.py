"""Compares the daemon's messages with its journal."""

from journal import CHANGE
from violation import expect

#: The largest difference between the daemon's clock and ours, in milliseconds.
SLOP = 25
#: The timers that do not run while the daemon is down. All others keep their deadline.
STANDING = {
    (flow + suffix, fires) for suffix in ("", "-file")
    for flow, fires in (("game", "timeUp"), ("quiz", "timeUp"), ("quiz", "answerTimedOut"))}


class Verdict:
    """Compares messages with rows, and counts the comparisons."""

    def __init__(self, told, journal):
        self._told, self._journal = told, journal
        self.changes = self.sights = 0

    def all_told_is_kept(self):
        """Checks that the journal contains every change that the daemon has sent, and unchanged."""
        told = self._told
        for change in told.fresh:
            self._change(change)
        for sight in told.sights:
            self._sight(sight)
        for line in told.lines:
            self._line(line)
        for session, last in told.lasts:
            self._last(session, last)
        for status in told.closed:
            self._is_closed(status)
        for id, asked in told.answers.items():
            self._once(id, asked)
        for some in (told.fresh, told.sights, told.lines, told.lasts, told.closed):
            some.clear()

    def _change(self, change):
        row = self._journal.changes.get(change["pos"])
        expect(row, "a change was told that is not in the journal", change)
        told = {name: value for name, value in change.items() if name != "time"}
        expect(told == row.change(), "a change is otherwise in the journal", told, row.change())
        self.changes += 1

    def _once(self, id, asked):
        rows = [
            stay.ids[id]
            for stay in self._journal.stays[asked.params["session"]] if id in stay.ids]
        expect(len(rows) == 1, f"the id {id} is there {len(rows)} times", asked.raw)
        expect(
            rows[0].body["pos"] == asked.reply.result["pos"],
            f"the id {id} is another change's", asked.raw, rows[0])

    # the status of sessions

    def _rows(self, session, seq, opened=None):
        """The rows that may describe a session after so many changes: one, or several if timers fired."""
        return [
            (stay, row)
            for stay in self._journal.stays.get(session, [])
            if opened is None or stay.opened // 1_000_000 == opened
            for row in stay.rows[seq - 1 :]
            if row.seq == seq
        ]

    def _line(self, line):
        rows = self._rows(line["session"], line["seq"])
        places = [row.body["to"]["state"] for _, row in rows if row.body["to"]]
        expect(line["state"] in places, "a list shows what is not in the journal", line, places)

    def _last(self, session, last):
        """Checks the last change that a refusal names."""
        for _, row in self._rows(session, last["seq"]):
            event = row.body["event"] or {"name": None, "args": {}}
            short = {
                "event": event["name"], "args": event["args"], "source": row.body["source"],
                "seq": row.seq, "atMs": row.at // 1_000_000}
            if short == last:
                return
        expect(False, "a refusal names a change that is not in the journal", session, last)

    def _is_closed(self, status):
        rows = self._rows(status["session"], status["seq"] + 1, status["openedMs"])
        expect(
            any(row.body["kind"] == "close" for _, row in rows),
            "a session was said to be closed, and goes on", status)

    def _sight(self, sight):
        status = sight.status
        rows = self._rows(status["session"], status["seq"], status["openedMs"])
        expect(rows, "a session was shown that is not in the journal", status)
        whys = [self._differs(sight, row) for _, row in rows]
        expect(
            None in whys, f"a session was shown otherwise than it is in the journal: {whys}",
            sight, *(row for _, row in rows))
        self.sights += 1

    def _differs(self, sight, row):
        status, body = sight.status, row.body
        if body["to"] is None:
            return "it is closed"
        if {"state": status["state"], "data": status["data"]} != body["to"]:
            return "state or data"
        if status["deferred"] != len(body["waiting"]):
            return "deferred"
        written = {timer["fires"]: timer for timer in body["timers"]}
        if {timer["fires"] for timer in status["timers"]} != set(written):
            return "which timers"
        for shown in status["timers"]:
            why = self._timer(shown, written[shown["fires"]], sight, row)
            if why:
                return f"{shown['fires']}: {why}"
        return None

    def _timer(self, shown, written, sight, row):
        left = shown["remainingMs"]
        if shown["totalMs"] != ceil(int(written["totalNs"])):
            return "its total"
        if shown["paused"] != ("leftNs" in written):
            return "paused or not"
        if shown["paused"]:
            return None if left == ceil(int(written["leftNs"])) else "what it has left"
        if shown["kind"] == "pendulum":
            return None if 0 < left <= shown["totalMs"] else "out of its period"
        until = int(written["untilNs"])
        least = until / 1e6 - sight.before * 1e3 - SLOP
        most = until / 1e6 - sight.after * 1e3 + SLOP
        if (sight.status["flow"], shown["fires"]) in STANDING:
            if sight.life > self._journal.life(row):
                # The timer was stopped while the daemon was down, for a time that only the daemon knows.
                most = ceil(until - row.at)
        if left < least:
            return f"{left} ms are left, and {least:.0f} at least should be"
        return None if left <= most else f"{left} ms are left, and {most:.0f} at most should be"

    # after a restart

    def goes_on(self, lines):
        """Checks that the listed sessions are those that were open, and that they have lost no change."""
        stays = self._journal.open_stays()
        names = {line["session"] for line in lines}
        expect(
            names - {"main"} == set(stays) - {"main"}, "other sessions are open than before",
            f"there: {sorted(names)}", f"in the journal: {sorted(stays)}")
        for line in lines:
            stay = stays.get(line["session"])
            if stay:
                expect(
                    line["seq"] >= stay.seq, "a session has lost its last changes", line,
                    stay.rows[-1])

    def is_history(self, session, records):
        """Checks that the history of a session, newest first, contains all changes of the journal."""
        stay = self._journal.open_stays()[session]
        kept = [row.change() for row in stay.rows if row.kind == CHANGE]
        told = [
            {name: value for name, value in record.items() if name != "time"}
            for record in reversed(records)
            if record["kind"] != "refused"]
        expect(
            told[: len(kept)] == kept, f"the history of {session} is not what is in the journal",
            f"{len(told)} changes, and {len(kept)} there")


def ceil(nanoseconds):
    return -(-nanoseconds // 1_000_000)
