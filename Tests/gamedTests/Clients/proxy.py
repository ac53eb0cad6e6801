"""Proxies that tests put between a program and its target."""
import asyncio
import socket
import time


# The directions of a proxied connection.
TO_TARGET, FROM_TARGET = 0, 1


def free_port():
    """A TCP port of this machine that no program uses."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


class Proxy:
    """Copies bytes between clients and a target, and can cut or stall the connections.

    A subclass opens the connections to the target in `connect`.
    """

    def __init__(self):
        # For each direction, an event that is set while bytes are passed on.
        self.is_open = [asyncio.Event(), asyncio.Event()]
        for event in self.is_open:
            event.set()
        # The writers to both sides of each connection.
        self.writers = set()

    async def accept(self, reader, writer):
        self.writers.add(writer)
        try:
            target_reader, target_writer = await self.connect()
        except OSError:
            return writer.close()
        self.writers.add(target_writer)
        try:
            await asyncio.gather(self.copy(reader, target_writer, self.is_open[TO_TARGET]),
                                 self.copy(target_reader, writer, self.is_open[FROM_TARGET]))
        except asyncio.CancelledError:
            # The program ends.
            pass
        self.writers -= {writer, target_writer}

    async def copy(self, reader, writer, is_open):
        try:
            while data := await reader.read(1 << 16):
                await is_open.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    def abort(self):
        """Closes all connections."""
        for writer in list(self.writers):
            writer.transport.abort()

    async def cut(self, seconds):
        """Closes all connections, and for some seconds also each new connection soon after it was made."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.abort()
            await asyncio.sleep(0.05)

    async def stall(self, seconds, directions=(TO_TARGET, FROM_TARGET)):
        """Keeps all connections open, but passes nothing on in these directions for some seconds."""
        for direction in directions:
            self.is_open[direction].clear()
        await asyncio.sleep(seconds)
        for event in self.is_open:
            event.set()


class PortProxy(Proxy):
    """Listens on a TCP port of its own, and connects to another port of this machine."""

    def __init__(self, port):
        super().__init__()
        self.port, self.listening_port = port, free_port()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.listening_port)

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)
