"""
Connected sockets, for threads that wait and for asyncio.

All other code of the package is written once, as coroutines, and gets one of the two runtimes below. The coroutines of
`Blocking` never suspend: they return when the socket has answered. So `run` can execute a coroutine that waits only for them,
without an event loop.
"""

import asyncio
import socket
import ssl
import threading
import time
from typing import Any, Awaitable, Optional, TypeVar

from .addresses import Address
from .errors import ConnectionLost

T = TypeVar("T")
READ_SIZE = 65536
LONGEST_CLOSING = 1.0


def run(awaitable: Awaitable[T]) -> T:
    """Executes a coroutine that waits only for `Blocking`."""
    try:
        next(awaitable.__await__())
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("a coroutine of `Blocking` has suspended")


class BlockingStream:
    """A socket whose functions block the thread."""

    def __init__(self, connection: socket.socket):
        self._socket = connection

    async def read(self, timeout: float) -> bytes:
        """Returns the bytes that have arrived, or no bytes at the end."""
        self._socket.settimeout(timeout)
        return self._socket.recv(READ_SIZE)

    async def write(self, data: bytes, timeout: float) -> None:
        self._socket.settimeout(timeout)
        self._socket.sendall(data)

    @property
    def is_closed(self) -> bool:
        """Whether the daemon has closed the connection. It sends nothing between a reply and the next request."""
        if self._socket.fileno() < 0:
            return True
        self._socket.settimeout(0)
        try:
            self._socket.recv(1)
        # Over TLS, session tickets may have arrived, which are no data.
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            pass
        return True

    def close(self) -> None:
        self._socket.close()

    async def wait_closed(self) -> None:
        """Returns when the closed connection has ended, which is at once."""


class Blocking:
    """The runtime of `Client`."""

    @staticmethod
    async def open(address: Address, tls: Optional[ssl.SSLContext], timeout: float) -> BlockingStream:
        if address.scheme == "unix":
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout)
            try:
                connection.connect(address.path)
            except BaseException:
                connection.close()
                raise
            return BlockingStream(connection)
        connection = socket.create_connection((address.host, address.port), timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            connection = tls.wrap_socket(connection, server_hostname=address.host)
        return BlockingStream(connection)

    @staticmethod
    async def sleep(seconds: float) -> None:
        time.sleep(seconds)

    @staticmethod
    def lock() -> Any:
        return BlockingLock()


class BlockingLock:
    """Lets several threads use one client."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(self, *_: Any) -> None:
        self._lock.release()


class AsyncStream:
    """A socket of the running event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer

    async def read(self, timeout: float) -> bytes:
        return await asyncio.wait_for(self._reader.read(READ_SIZE), timeout)

    async def write(self, data: bytes, timeout: float) -> None:
        self._writer.write(data)
        await asyncio.wait_for(self._writer.drain(), timeout)

    @property
    def is_closed(self) -> bool:
        return self._writer.is_closing() or self._reader.at_eof()

    def close(self) -> None:
        self._writer.close()

    async def wait_closed(self) -> None:
        """Returns when the closed connection has ended: over TLS, after messages of both sides."""
        try:
            await asyncio.wait_for(self._writer.wait_closed(), LONGEST_CLOSING)
        except (OSError, asyncio.TimeoutError):
            pass


class Asyncio:
    """The runtime of `AsyncClient`."""

    @staticmethod
    async def open(address: Address, tls: Optional[ssl.SSLContext], timeout: float) -> AsyncStream:
        if address.scheme == "unix":
            opening = asyncio.open_unix_connection(address.path)
        else:
            opening = asyncio.open_connection(address.host, address.port, ssl=tls)
        return AsyncStream(*await asyncio.wait_for(opening, timeout))

    sleep = staticmethod(asyncio.sleep)

    @staticmethod
    def lock() -> Any:
        return asyncio.Lock()


class Buffer:
    """
    Reads lines and bodies from a stream. An error or a time-out of the stream is `ConnectionLost`; the stream is then closed,
    also if the task that waits is cancelled, because a later reply would be taken for another one.
    """

    def __init__(self, stream: Any):
        self._stream = stream
        self._data = b""

    @property
    def is_closed(self) -> bool:
        return bool(self._stream.is_closed)

    async def write(self, data: bytes, timeout: float) -> None:
        await self._guarded(self._stream.write(data, timeout))

    async def line(self, timeout: float) -> bytes:
        """The next line, without its end."""
        while b"\n" not in self._data:
            self._data += await self._read(timeout)
        line, self._data = self._data.split(b"\n", 1)
        return line.rstrip(b"\r")

    async def exactly(self, count: int, timeout: float) -> bytes:
        while len(self._data) < count:
            self._data += await self._read(timeout)
        data, self._data = self._data[:count], self._data[count:]
        return data

    async def _read(self, timeout: float) -> bytes:
        data: bytes = await self._guarded(self._stream.read(timeout))
        if not data:
            self.close()
            raise ConnectionLost("the daemon has closed the connection", may_have_happened=True)
        return data

    async def _guarded(self, operation: Awaitable[T]) -> T:
        try:
            return await operation
        # Before Python 3.10 and 3.11, time-outs of sockets and of asyncio are errors of their own.
        except (socket.timeout, asyncio.TimeoutError):
            self.close()
            raise ConnectionLost("the daemon has not answered in time", may_have_happened=True) from None
        except OSError as error:
            self.close()
            raise ConnectionLost(str(error), may_have_happened=True) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._stream.close()

    async def finish(self) -> None:
        """Closes the connection, and waits until it has ended."""
        self._stream.close()
        await self._stream.wait_closed()


async def connect(runtime: Any, address: Address, tls: Optional[ssl.SSLContext], timeout: float) -> Buffer:
    """Connects to the daemon."""
    try:
        return Buffer(await runtime.open(address, tls if address.has_tls else None, timeout))
    except (OSError, asyncio.TimeoutError) as error:
        raise ConnectionLost(f"{address}: {error or 'no connection in time'}") from error
