"""Everything that the daemon has sent to clients, for the comparison with its journal."""

from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice

from jsonrpcclient import Ok
from violation import expect

#: The errors that random requests may get: noTransition, invalid, unknownSession, unknownEvent, finished,
#: deferQueueFull, exists, unknownState.
REFUSALS = {1, 2, 5, 6, 7, 9, 10, 15}
#: The number of a session's latest ids that the daemon must remember. It remembers some more.
REMEMBERED = 900


@dataclass
class Sight:
    """The status of a session, which the daemon sent between two instants of Unix time."""

    status: dict
    after: float
    before: float
    life: int


class Told:
    """Collects the messages of all processes of the daemon in one state directory."""

    def __init__(self):
        self.life = 0
        #: Every received change, by its pos, as JSON without the members that only replies have.
        self.changes = {}
        #: Changes that have not been compared with the journal.
        self.fresh = []
        self.sights, self.closed, self.lines, self.lasts = [], [], [], []
        #: The answers to requests with an id, of sessions that stay open, oldest first; and unanswered requests.
        self.answers = OrderedDict()
        self.unanswered = {}
        #: The last known flow and state of each session.
        self.places = {}
        self.events = self.acknowledged = 0

    # replies

    def reply(self, connection, asked):
        params = asked.params
        if asked.method == "send" and "id" in params:
            self.unanswered.pop(params["id"], None)
        if not isinstance(asked.reply, Ok):
            return self._refused(asked)
        getattr(self, f"_{asked.method}")(connection, asked, asked.reply.result)

    def _refused(self, asked):
        error = asked.reply
        expect(error.code in REFUSALS, "an error that nobody expects", asked.params, error)
        self._last(asked.params.get("session"), error.data)

    def _last(self, session, data):
        if data and data.get("last"):
            self.lasts.append((session, data["last"]))

    def _send(self, connection, asked, result):
        self.acknowledged += 1
        change = dict(result)
        expect(
            change.pop("deferred", False) == (change["kind"] == "defer"),
            "deferred, and not said so, or the other way round", result)
        self._change(change)
        id = asked.params.get("id")
        if id is None or not asked.params["session"].startswith("lasting"):
            return
        known = self.answers.setdefault(id, asked)
        expect(
            known.raw == asked.raw, f"the id {id} has got two answers", known.raw, asked.raw)

    def _goto(self, connection, asked, result):
        self._change(result)

    _label = _undo = _goto

    def _timer(self, connection, asked, result):
        self._sight(result, asked)

    _status = _open = _timer

    def _close(self, connection, asked, result):
        self._sight(result, asked)
        self.closed.append(result)

    def _list(self, connection, asked, result):
        self.lines += result["sessions"]

    def _history(self, connection, asked, result):
        seq = asked.params.get("before", None)
        for record in result["records"]:
            if record["kind"] == "refused":
                self._last(record["session"], record["error"]["data"])
                continue
            expect(
                seq is None or record["seq"] == seq - 1, "history has a gap", asked.params, record)
            seq = record["seq"]
            self._change(record)

    def _watch(self, connection, asked, result):
        connection.watched, connection.seen = asked.params["session"], asked.params.get("since")
        for status in result["sessions"]:
            self._sight(status, asked)
            if connection.watched != "*":
                connection.seen = status["seq"]

    # notifications

    def notice(self, connection, method, params, now):
        expect(method in ("change", "beat", "refused", "gap"), "a strange notification", params)
        if method == "refused":
            self._last(params["session"], params["error"]["data"])
        elif method == "gap":
            self._gap(connection, params, now)
        elif method == "change":
            self._in_order(connection, params)
            self._change(params)

    def _gap(self, connection, present, now):
        """The present state, in place of changes that the daemon no longer remembers."""
        newest, connection.seen = connection.seen, present["pos"]
        expect(present["pos"] >= newest, f"pos {newest} was told, and is ahead of this", present)
        for status in present["sessions"]:
            self.sights.append(Sight(status, now - 1, now, self.life))

    def _in_order(self, connection, change):
        """Checks that a watch misses no change and gets none twice."""
        member = "pos" if connection.watched == "*" else "seq"
        seen, connection.seen = connection.seen, change[member]
        expect(
            seen is None or change[member] == seen + 1,
            f"a watcher of {connection.watched} was told {member} {seen} and then this", change)

    # records

    def _change(self, change):
        known = self.changes.setdefault(change["pos"], change)
        if known is change:
            self.fresh.append(change)
            to = change["to"]
            if to:
                flow = self.places.get(change["session"], ("game",))[0]
                self.places[change["session"]] = (flow, to["state"])
        else:
            expect(known == change, "one pos was told in two ways", known, change)

    def _sight(self, status, asked):
        self.places[status["session"]] = (status["flow"], status["state"])
        self.sights.append(Sight(status, asked.sent_at, asked.came_at, self.life))

    def remembered(self):
        """The answers that the daemon must still remember."""
        return list(islice(reversed(self.answers.values()), REMEMBERED))
