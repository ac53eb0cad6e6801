"""A connection to the daemon, which passes replies and notifications on to `Messages`."""

import json
import time
from collections import deque
from dataclasses import dataclass

from jsonrpcclient import Ok, notification, parse
from jsonrpcclient import request as json_rpc_request
from violation import expect


@dataclass
class Request:
    """A request, and its reply once it has been received."""

    method: str
    params: dict
    number: int = 0
    sent_at: float = 0
    reply: object = None
    #: The result in the reply, as the daemon wrote it.
    result_text: str = ""
    received_at: float = 0


class Connection:
    """A client of the daemon, with a limited number of requests in flight."""

    def __init__(self, socket, in_flight_limit, messages):
        self._socket, self.in_flight_limit, self._messages = socket, in_flight_limit, messages
        self.pending = deque()
        self._unfinished = b""
        self._number = 0
        # `watched` is the watched session, `*` for all sessions, or None. `seen` is the `seq` of the last change that the watch
        # has reported. In a watch of all sessions, `seen` is the `pos` of this change.
        self.watched, self.seen = None, None

    def fileno(self):
        return self._socket.fileno()

    @property
    def has_room(self):
        return len(self.pending) < self.in_flight_limit

    def send(self, request):
        """Sends a request, without waiting for the reply."""
        self._number += 1
        request.number, request.sent_at = self._number, time.time()
        line = json.dumps(json_rpc_request(request.method, params=request.params, id=request.number))
        self.pending.append(request)
        self._write(line)

    def notify(self, method, params):
        """Sends a notification of JSON-RPC, which gets no reply."""
        self._write(json.dumps(notification(method, params=params)))

    def _write(self, line):
        try:
            self._socket.sendall(line.encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            expect(False, "the daemon has closed a connection")

    def receive(self):
        """Reads the available bytes; false at the end of input."""
        try:
            data = self._socket.recv(1 << 18)
        except ConnectionResetError:
            return False
        if not data:
            return False
        now = time.time()
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._handle(line.decode(), now)
        return True

    def drain(self):
        """Reads the bytes that a killed daemon had written, and closes the connection. Ignores an unfinished line."""
        while self.receive():
            pass
        self._socket.close()

    def _handle(self, line, now):
        message = json.loads(line)
        if "method" in message:
            return self._messages.notification(self, message["method"], message["params"], now)
        expect(self.pending, "a reply without a request", line)
        request = self.pending.popleft()
        request.reply, request.received_at = parse(message), now
        expect(request.reply.id == request.number, "replies out of order", line, request)
        if isinstance(request.reply, Ok):
            request.result_text = line[line.index('"result":') + len('"result":') : -1]
        self._messages.reply(self, request)
