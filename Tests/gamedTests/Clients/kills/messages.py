"""Everything that the daemon has sent to clients, for the comparison with its journal."""

from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice

from jsonrpcclient import Ok
from violation import expect

#: The errors that random requests may get: noTransition, invalid, unknownSession, unknownEvent, finished,
#: deferQueueFull, exists, unknownState.
REFUSALS = {1, 2, 5, 6, 7, 9, 10, 15}
#: The number of newest ids that these checks expect the daemon to remember. The daemon remembers more for each session.
REMEMBERED = 900
#: The prefix of the names of sessions that stay open.
ALWAYS_OPEN = "lasting"


@dataclass
class SentStatus:
    """The status of a session, which a process of the daemon sent after one instant and before another."""

    status: dict
    #: Both instants are in seconds of Unix time.
    after: float
    before: float
    #: The number of the process, from 0.
    process: int


class Messages:
    """Collects the messages of all processes of the daemon in one state directory."""

    def __init__(self):
        #: The number of the running process, from 0.
        self.process = 0
        #: Every received change, by its pos, as JSON without the members that only replies have.
        self.changes = {}
        #: Changes that have not been compared with the journal.
        self.unchecked_changes = []
        #: Further messages that have not been compared: statuses of sessions, replies to `close`, and members of replies to
        #: `list`. Also the last changes that refusals name; each is stored together with its session's name.
        self.statuses, self.closed, self.list_entries, self.last_changes = [], [], [], []
        #: The acknowledged requests with an id to sessions that stay open, by id, oldest first.
        self.acknowledged_requests = OrderedDict()
        #: The parameters of unanswered requests with an id, by id.
        self.unanswered = {}
        #: The last known flow and state of each session.
        self.last_states = {}
        #: The number of requests that were sent under load.
        self.load_requests = 0
        #: The number of acknowledged events.
        self.acknowledged_events = 0

    # replies

    def reply(self, connection, request):
        """Records a reply. For each method of the protocol, this class has a function that records the result: `_send` for the
        method `send`, for example."""
        params = request.params
        if request.method == "send" and "id" in params:
            self.unanswered.pop(params["id"], None)
        if not isinstance(request.reply, Ok):
            return self._refused(request)
        getattr(self, f"_{request.method}")(connection, request, request.reply.result)

    def _refused(self, request):
        error = request.reply
        expect(error.code in REFUSALS, "an unexpected error", request.params, error)
        self._add_last_change(request.params.get("session"), error.data)

    def _add_last_change(self, session, data):
        if data and data.get("last"):
            self.last_changes.append((session, data["last"]))

    def _send(self, connection, request, result):
        self.acknowledged_events += 1
        change = dict(result)
        expect(
            change.pop("deferred", False) == (change["kind"] == "defer"),
            "`deferred` contradicts the kind of the change", result)
        self._add_change(change)
        id = request.params.get("id")
        if id is None or not request.params["session"].startswith(ALWAYS_OPEN):
            return
        first = self.acknowledged_requests.setdefault(id, request)
        expect(
            first.result_text == request.result_text, f"the id {id} was answered in two ways",
            first.result_text, request.result_text)

    def _goto(self, connection, request, result):
        self._add_change(result)

    _label = _undo = _goto

    def _timer(self, connection, request, result):
        self._add_status(result, request)

    _status = _open = _timer

    def _close(self, connection, request, result):
        self._add_status(result, request)
        self.closed.append(result)

    def _list(self, connection, request, result):
        self.list_entries += result["sessions"]

    def _history(self, connection, request, result):
        seq = request.params.get("before", None)
        for record in result["records"]:
            if record["kind"] == "refused":
                self._add_last_change(record["session"], record["error"]["data"])
                continue
            expect(
                seq is None or record["seq"] == seq - 1, "history has a gap", request.params, record)
            seq = record["seq"]
            self._add_change(record)

    def _watch(self, connection, request, result):
        connection.watched, connection.seen = request.params["session"], request.params.get("since")
        for status in result["sessions"]:
            self._add_status(status, request)
            if connection.watched != "*":
                connection.seen = status["seq"]

    # notifications

    def notification(self, connection, method, params, now):
        expect(method in ("change", "beat", "refused", "gap"), "an unknown notification", params)
        if method == "refused":
            self._add_last_change(params["session"], params["error"]["data"])
        elif method == "gap":
            self._receive_gap(connection, params, now)
        elif method == "change":
            self._check_order(connection, params)
            self._add_change(params)

    def _receive_gap(self, connection, gap, now):
        """A gap has the present statuses, in place of changes that the daemon no longer remembers."""
        newest, connection.seen = connection.seen, gap["pos"]
        expect(gap["pos"] >= newest, f"pos {newest} was sent before, and is greater", gap)
        # The daemon is assumed to have written the gap within the last second.
        for status in gap["sessions"]:
            self.statuses.append(SentStatus(status, now - 1, now, self.process))

    def _check_order(self, connection, change):
        """Checks that a watch misses no change and gets none twice."""
        member = "pos" if connection.watched == "*" else "seq"
        seen, connection.seen = connection.seen, change[member]
        expect(
            seen is None or change[member] == seen + 1,
            f"a watcher of {connection.watched} received {member} {seen} and then this", change)

    # records

    def _add_change(self, change):
        first = self.changes.setdefault(change["pos"], change)
        if first is change:
            self.unchecked_changes.append(change)
            to = change["to"]
            if to:
                flow = self.last_states.get(change["session"], ("game",))[0]
                self.last_states[change["session"]] = (flow, to["state"])
        else:
            expect(first == change, "two changes with one pos were sent", first, change)

    def _add_status(self, status, request):
        self.last_states[status["session"]] = (status["flow"], status["state"])
        self.statuses.append(SentStatus(status, request.sent_at, request.received_at, self.process))

    def repeatable(self):
        """The acknowledged requests whose ids the daemon must still remember, newest first."""
        return list(islice(reversed(self.acknowledged_requests.values()), REMEMBERED))
