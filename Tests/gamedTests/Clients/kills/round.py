"""A round: the daemon starts, its state is checked, it works under load, and it is killed."""

import selectors
import time

from jsonrpcclient import Ok
from request_generator import repeated
from violation import expect
from wire import Connection, Request

#: The highest number of requests in flight for each connection. The last two connections also watch.
IN_FLIGHT_LIMITS = (32, 32, 8, 1, 1, 1, 1, 1)
#: The longest time between the last burst and the kill, in seconds.
LONGEST_DELAY_BEFORE_KILL = 0.003
#: How long to wait for replies, in seconds.
TIMEOUT = 120


class Round:
    """The connections to the daemon from its start until it is killed."""

    def __init__(self, daemon, random, messages, generator):
        self._random, self._messages, self._generator = random, messages, generator
        self._selector = selectors.DefaultSelector()
        self.connections = [
            Connection(daemon.connect(), limit, messages) for limit in IN_FLIGHT_LIMITS]
        for connection in self.connections:
            self._selector.register(connection, selectors.EVENT_READ)

    # requests

    def ask(self, requests):
        """Sends requests over any of the connections, and waits for all replies."""
        waiting = list(reversed(requests))
        until = time.monotonic() + TIMEOUT
        while waiting or any(connection.pending for connection in self.connections):
            expect(time.monotonic() < until, "the daemon does not answer")
            for connection in self._shuffled():
                while waiting and connection.has_room:
                    connection.send(waiting.pop())
            self._listen(1)
        return requests

    def _shuffled(self):
        return self._random.sample(self.connections, len(self.connections))

    def _listen(self, timeout):
        for key, _ in self._selector.select(timeout):
            expect(key.fileobj.receive(), "the daemon has closed a connection")

    # after a restart

    def open_and_watch(self, listed):
        """Opens the sessions that always stay open, if they are not among the listed ones, and watches sessions."""
        missing = [request for request in self._generator.open_requests()
                   if request.params["session"] not in listed]
        self.ask(missing)
        all_sessions_watcher, one_session_watcher = self.connections[-2:]
        topics = self._random.choice((["changes"], ["changes", "refusals"]))
        since = max(self._messages.changes, default=0)
        all_sessions_watcher.send(Request("watch", {"session": "*", "since": since, "topics": topics}))
        name = self._random.choice(self._generator.open_requests()).params["session"]
        one_session_watcher.send(Request("watch", {"session": name, "topics": ["changes", "beats"]}))
        self.ask([])

    def sessions(self):
        """The open sessions."""
        (request,) = self.ask([Request("list", {})])
        return request.reply.result["sessions"]

    def request_statuses(self, sessions):
        """Requests the status of each session, which is compared with the journal like every message."""
        for request in self.ask([Request("status", {"session": name}) for name in sessions]):
            expect(isinstance(request.reply, Ok), "the status of an open session is refused", request)

    def history(self, session):
        """All changes of a session, newest first, page by page."""
        records, page = [], {"session": session, "limit": self._random.choice((20, 1000))}
        while page:
            (request,) = self.ask([Request("history", page)])
            records += request.reply.result["records"]
            following = request.reply.result.get("next")
            page = following and {**page, **following}
        return records

    def repeat(self, unanswered, acknowledged):
        """Repeats unanswered requests, and returns the repetitions. Also repeats some acknowledged requests, and checks that
        the daemon gives the same answers again."""
        repeated_requests = self.ask([Request("send", params) for params in unanswered])
        for request, first in zip(self.ask([repeated(each) for each in acknowledged]), acknowledged):
            expect(
                request.result_text == first.result_text, "a repeated id is answered in another way",
                first.result_text, request.result_text, request.reply)
        return repeated_requests

    # load

    def load(self, seconds, limit):
        """Sends requests for some seconds, or until about `limit` requests were sent. Then sends a burst, and does not wait for
        its replies."""
        end, last_count = time.monotonic() + seconds, self._messages.load_requests + limit
        while time.monotonic() < end and self._messages.load_requests < last_count:
            self._burst()
            self._listen(max(0, end - time.monotonic()))
        self._burst()
        time.sleep(self._random.uniform(0, LONGEST_DELAY_BEFORE_KILL))

    def _burst(self):
        """Sends as many requests as all connections may have in flight."""
        for connection in self._shuffled():
            while connection.has_room:
                self._send_next(connection)

    def _send_next(self, connection):
        if self._random.random() < 0.02:
            connection.notify("send", self._generator.event())
        self._messages.load_requests += 1
        connection.send(self._generator.next())

    def drain(self):
        """Reads the bytes that the daemon had written before it was killed.

        Returns the number of requests that were unanswered before these bytes were read.
        """
        waiting = sum(len(connection.pending) for connection in self.connections)
        for connection in self.connections:
            connection.drain()
        self._selector.close()
        return waiting
