"""A connection: requests out, their replies and notifications in, all of it remembered."""

import json
import time
from collections import deque
from dataclasses import dataclass

from jsonrpcclient import Ok, notification, parse, request
from violation import expect


@dataclass
class Request:
    """What is asked, and in the end what was answered."""

    method: str
    params: dict
    number: int = 0
    sent_at: float = 0
    reply: object = None
    #: The reply's result to the byte.
    raw: str = ""
    came_at: float = 0


class Connection:
    """One client of the daemon, with so many requests in flight at most."""

    def __init__(self, client, window, told):
        self._client, self.window, self._told = client, window, told
        self.pending = deque()
        self._rest = b""
        self._number = 0
        # What is watched: nothing, `*` or a session; and where it has got to.
        self.watched, self.seen = None, None

    def fileno(self):
        return self._client.fileno()

    @property
    def has_room(self):
        return len(self.pending) < self.window

    def send(self, asked):
        """Sends a request; its reply comes some time."""
        self._number += 1
        asked.number, asked.sent_at = self._number, time.time()
        line = json.dumps(request(asked.method, params=asked.params, id=asked.number))
        self.pending.append(asked)
        self._write(line)

    def shout(self, method, params):
        """Sends what gets no reply."""
        self._write(json.dumps(notification(method, params=params)))

    def _write(self, line):
        try:
            self._client.sendall(line.encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            expect(False, "the daemon has closed a connection")

    def receive(self):
        """Takes in what is there; false at the end of input."""
        try:
            data = self._client.recv(1 << 18)
        except ConnectionResetError:
            return False
        if not data:
            return False
        now = time.time()
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._hear(line.decode(), now)
        return True

    def drain(self):
        """Takes in what a daemon that is dead had still written. Half a line was not told."""
        while self.receive():
            pass
        self._client.close()

    def close(self):
        self._client.close()

    def _hear(self, line, now):
        message = json.loads(line)
        if "method" in message:
            return self._told.notice(self, message["method"], message["params"], now)
        expect(self.pending, "a reply that nobody asked for", line)
        asked = self.pending.popleft()
        asked.reply, asked.came_at = parse(message), now
        expect(asked.reply.id == asked.number, "replies out of order", line, asked)
        if isinstance(asked.reply, Ok):
            asked.raw = line[line.index('"result":') + 9 : -1]
        self._told.reply(self, asked)
