"""A round: the daemon starts, its state is checked, it works under load, and it is killed."""

import selectors
import time

from jsonrpcclient import Ok
from players import again
from violation import expect
from wire import Connection, Request

#: The highest number of requests in flight for each connection. The last two connections also watch.
WINDOWS = (32, 32, 8, 1, 1, 1, 1, 1)
#: The longest time for which the daemon works at its last burst, in seconds.
BURST = 0.003
PATIENCE = 30


class Round:
    """The connections to the daemon from its start until it is killed."""

    def __init__(self, daemon, random, told, players):
        self._random, self._told, self._players = random, told, players
        self._selector = selectors.DefaultSelector()
        self.connections = [Connection(daemon.connect(), window, told) for window in WINDOWS]
        for connection in self.connections:
            self._selector.register(connection, selectors.EVENT_READ)

    # requests

    def ask(self, requests):
        """Sends requests over any of the connections, and waits for all replies."""
        waiting = list(reversed(requests))
        until = time.monotonic() + PATIENCE
        while waiting or any(connection.pending for connection in self.connections):
            expect(time.monotonic() < until, "the daemon does not answer")
            for connection in self._shuffled():
                while waiting and connection.has_room:
                    connection.send(waiting.pop())
            self._listen(1)
        return requests

    def _shuffled(self):
        return self._random.sample(self.connections, len(self.connections))

    def _listen(self, patience):
        for key, _ in self._selector.select(patience):
            expect(key.fileobj.receive(), "the daemon has closed a connection")

    # after a restart

    def begin(self, known):
        """Opens the sessions that stay open, and watches them."""
        missing = [asked for asked in self._players.openings()
                   if asked.params["session"] not in known]
        self.ask(missing)
        everything, single = self.connections[-2:]
        topics = self._random.choice((["changes"], ["changes", "refusals"]))
        since = max(self._told.changes, default=0)
        everything.send(Request("watch", {"session": "*", "since": since, "topics": topics}))
        name = self._random.choice(self._players.openings()).params["session"]
        single.send(Request("watch", {"session": name, "topics": ["changes", "beats"]}))
        self.ask([])

    def sessions(self):
        """The open sessions."""
        (asked,) = self.ask([Request("list", {})])
        return asked.reply.result["sessions"]

    def show(self, sessions):
        """Requests the status of each session, which is compared with the journal like every message."""
        for asked in self.ask([Request("status", {"session": name}) for name in sessions]):
            expect(isinstance(asked.reply, Ok), "a session does not show itself", asked)

    def history(self, session):
        """All changes of a session, newest first, page by page."""
        records, page = [], {"session": session, "limit": self._random.choice((20, 1000))}
        while page:
            (asked,) = self.ask([Request("history", page)])
            records += asked.reply.result["records"]
            following = asked.reply.result.get("next")
            page = following and {**page, **following}
        return records

    def ask_again(self, unanswered, answered):
        """Repeats unanswered requests, and some answered ones, whose answers must be the same as before."""
        lost = self.ask([Request("send", params) for params in unanswered])
        for asked, before in zip(self.ask([again(asked) for asked in answered]), answered):
            expect(
                asked.raw == before.raw, "an id has got another answer", before.raw, asked.raw,
                asked.reply)
        return lost

    # load

    def load(self, seconds, most):
        """Sends requests for so many seconds, at most so many, and then a burst that it does not wait for."""
        until, most = time.monotonic() + seconds, self._told.events + most
        while time.monotonic() < until and self._told.events < most:
            self._burst()
            self._listen(max(0, until - time.monotonic()))
        self._burst()
        time.sleep(self._random.uniform(0, BURST))

    def _burst(self):
        """Sends as many requests as all connections may have in flight."""
        for connection in self._shuffled():
            while connection.has_room:
                self._play(connection)

    def _play(self, connection):
        if self._random.random() < 0.02:
            connection.shout("send", self._players.shout())
        self._told.events += 1
        connection.send(self._players.next())

    def drain(self):
        """Reads the bytes that the daemon had written before it was killed."""
        waiting = sum(len(connection.pending) for connection in self.connections)
        for connection in self.connections:
            connection.drain()
        self._selector.close()
        return waiting

    def close(self):
        for connection in self.connections:
            connection.close()
        self._selector.close()
