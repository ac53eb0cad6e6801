"""Connections that carry requests: lines over a UNIX socket or TCP, and HTTP. Both have the same functions."""

import json
import ssl
from dataclasses import dataclass
from typing import Any, AsyncIterator, Dict, Mapping, Optional
from urllib.parse import urlencode

from .addresses import Address
from .errors import ProtocolError, refusal
from .streams import Buffer, connect

#: The daemon sends a heartbeat after 15 s without another notification. Without a line for so long, the connection is lost.
LONGEST_SILENCE = 45.0


@dataclass(frozen=True)
class Options:
    """How to connect."""

    address: Address
    token: Optional[str]
    tls: Optional[ssl.SSLContext]
    #: The longest time to connect, and the longest time between a request and its reply, in seconds.
    timeout: float


def _request(method: str, params: Mapping[str, Any], number: int = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def _message(data: bytes) -> Dict[str, Any]:
    try:
        message = json.loads(data)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise ProtocolError(f"expected a message of JSON-RPC, but there is {data[:80]!r}")
    return message


def _result(message: Mapping[str, Any]) -> Any:
    if "error" in message:
        raise refusal(message["error"])
    if "result" not in message:
        raise ProtocolError(f"expected a reply, but there is {message!r}")
    return message["result"]


class LineChannel:
    """Lines of JSON-RPC."""

    def __init__(self, buffer: Buffer, options: Options):
        self._buffer, self._options = buffer, options
        self._number = 0

    @classmethod
    async def open(cls, runtime: Any, options: Options) -> "LineChannel":
        channel = cls(await connect(runtime, options.address, options.tls, options.timeout), options)
        try:
            if options.token is not None:
                await channel.call("auth", {"token": options.token})
        except BaseException:
            channel.close()
            raise
        return channel

    @property
    def is_closed(self) -> bool:
        return self._buffer.is_closed

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Sends a request and returns the result in its reply."""
        await self.post(method, params)
        while True:
            message = _message(await self._buffer.line(self._options.timeout))
            # An error without the id of a request ends the connection, such as the limit of clients.
            if message.get("id") == self._number or (message.get("id") is None and "error" in message):
                return _result(message)

    async def post(self, method: str, params: Mapping[str, Any]) -> None:
        """Sends a request, whose reply `messages` yields."""
        self._number += 1
        await self._buffer.write(_request(method, params, self._number) + b"\n", self._options.timeout)

    async def messages(self) -> AsyncIterator[Dict[str, Any]]:
        """The notifications after a `watch` and the results of posted requests, until the connection is lost."""
        while True:
            message = _message(await self._buffer.line(LONGEST_SILENCE))
            yield message if "method" in message else {"result": _result(message)}

    def close(self) -> None:
        self._buffer.close()

    async def finish(self) -> None:
        """Closes the connection, and waits until it has ended."""
        await self._buffer.finish()


class WebChannel:
    """JSON-RPC over HTTP/1.1, one request at a time on one connection."""

    def __init__(self, buffer: Buffer, options: Options):
        self._buffer, self._options = buffer, options
        self._is_over = False

    @classmethod
    async def open(cls, runtime: Any, options: Options) -> "WebChannel":
        return cls(await connect(runtime, options.address, options.tls, options.timeout), options)

    @property
    def is_closed(self) -> bool:
        return self._is_over or self._buffer.is_closed

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Sends a request and returns the result in its reply."""
        headers = await self._exchange("POST", "/v1/rpc", {}, _request(method, params))
        body = b"".join([part async for part in self._body(headers, self._options.timeout)])
        self._is_over = headers.get("connection", "").lower() == "close"
        return _result(_message(body))

    async def events(self, query: Mapping[str, str], last_id: Optional[str]) -> AsyncIterator[Dict[str, str]]:
        """The events of `/v1/events` with their fields, until the connection is lost. A comment is an event without fields."""
        more = {"Accept": "text/event-stream"}
        if last_id is not None:
            more["Last-Event-ID"] = last_id
        headers = await self._exchange("GET", f"/v1/events?{urlencode(query)}", more)
        if not headers.get("content-type", "").startswith("text/event-stream"):
            body = b"".join([part async for part in self._body(headers, self._options.timeout)])
            _result(_message(body))
        data = b""
        async for part in self._body(headers, LONGEST_SILENCE):
            data += part
            *events, data = data.replace(b"\r\n", b"\n").split(b"\n\n")
            for event in events:
                lines = [line.partition(": ") for line in event.decode().split("\n")]
                yield {name: text for name, _, text in lines if name and not name.startswith(":")}

    async def _exchange(
        self, method: str, target: str, more: Mapping[str, str], body: bytes = b""
    ) -> Dict[str, str]:
        """Sends a request. Returns the headers of the response, with small letters."""
        address = self._options.address
        headers = {"Host": address.authority, **more}
        if self._options.token is not None:
            headers["Authorization"] = f"Bearer {self._options.token}"
        if body:
            headers.update({"Content-Type": "application/json", "Content-Length": str(len(body))})
        head = [f"{method} {address.path}{target} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
        timeout = self._options.timeout
        await self._buffer.write("\r\n".join([*head, "", ""]).encode() + body, timeout)
        status = await self._buffer.line(timeout)
        if not status.startswith(b"HTTP/1.1 "):
            raise ProtocolError(f"expected a response of HTTP, but there is {status[:80]!r}")
        response: Dict[str, str] = {}
        while True:
            line = (await self._buffer.line(timeout)).decode("latin-1")
            if not line:
                return response
            name, _, text = line.partition(":")
            response[name.lower()] = text.strip()

    async def _body(self, headers: Mapping[str, str], timeout: float) -> AsyncIterator[bytes]:
        if headers.get("transfer-encoding", "").lower() != "chunked":
            yield await self._buffer.exactly(int(headers.get("content-length", 0)), timeout)
            return
        while True:
            size = int((await self._buffer.line(timeout)).split(b";")[0], 16)
            chunk = await self._buffer.exactly(size, timeout)
            await self._buffer.line(timeout)
            if not size:
                return
            yield chunk

    def close(self) -> None:
        self._buffer.close()

    async def finish(self) -> None:
        """Closes the connection, and waits until it has ended."""
        await self._buffer.finish()
