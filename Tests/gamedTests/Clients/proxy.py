"""Proxies that tests put between a program and its target."""
import asyncio
import socket
import time


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """Passes bytes on in both directions, and can be cut or stalled. `connect` opens a connection to the target."""

    def __init__(self):
        # One for each direction: to the target, and back.
        self.flows = [asyncio.Event(), asyncio.Event()]
        for flow in self.flows:
            flow.set()
        self.writers = set()

    async def accept(self, reader, writer):
        self.writers.add(writer)
        try:
            other = await self.connect()
        except OSError:
            return writer.close()
        self.writers.add(other[1])
        try:
            await asyncio.gather(self.copy(reader, other[1], self.flows[0]),
                                 self.copy(other[0], writer, self.flows[1]))
        except asyncio.CancelledError:
            # The program ends.
            pass
        self.writers -= {writer, other[1]}

    async def copy(self, reader, writer, flow):
        try:
            while data := await reader.read(1 << 16):
                await flow.wait()
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
        """Closes all connections, and new ones at once, for some seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.abort()
            await asyncio.sleep(0.05)

    async def stall(self, seconds, directions=(0, 1)):
        """Keeps all connections open, but passes nothing on for some seconds."""
        for direction in directions:
            self.flows[direction].clear()
        await asyncio.sleep(seconds)
        for flow in self.flows:
            flow.set()


class PortProxy(Proxy):
    """A way to a TCP port of this machine; `own` is the port of the proxy."""

    def __init__(self, port):
        super().__init__()
        self.port, self.own = port, free_port()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.own)

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)
