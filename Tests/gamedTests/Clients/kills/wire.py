"""A connection to the daemon, which records replies and notifications."""

import json
import time
from collections import deque
from dataclasses import dataclass

from jsonrpcclient import Ok, notification, parse, request
from violation import expect


@dataclass
class Request:
    """A request, and its reply once it has been received."""

    method: str
    params: dict
    number: int = 0
    sent_at: float = 0
    reply: object = None
    #: The bytes of the reply's result.
    raw: str = ""
    came_at: float = 0


class Connection:
    """A client of the daemon, with a limited number of requests in flight."""

    def __init__(self, client, window, told):
        self._client, self.window, self._told = client, window, told
        self.pending = deque()
        self._rest = b""
        self._number = 0
        # The watched session, `*` or None, and the last change of the watch.
        self.watched, self.seen = None, None

    def fileno(self):
        return self._client.fileno()

    @property
    def has_room(self):
        return len(self.pending) < self.window

    def send(self, asked):
        """Sends a request, without waiting for the reply."""
        self._number += 1
        asked.number, asked.sent_at = self._number, time.time()
        line = json.dumps(request(asked.method, params=asked.params, id=asked.number))
        self.pending.append(asked)
        self._write(line)

    def shout(self, method, params):
        """Sends a notification of JSON-RPC, which gets no reply."""
        self._write(json.dumps(notification(method, params=params)))

    def _write(self, line):
        try:
            self._client.sendall(line.encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            expect(False, "the daemon has closed a connection")

    def receive(self):
        """Reads the available bytes; false at the end of input."""
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
        """Reads the bytes that a killed daemon had written. An unfinished line does not count as a message."""
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
