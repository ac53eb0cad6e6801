"""Relays TCP connections to a port. For each line on standard input it ends all connections.

Usage: relay.py PORT. Prints the port on which it listens.
"""
import asyncio
import sys

from proxy import PortProxy


def cut(proxy):
    if not sys.stdin.readline():
        sys.exit()
    print(f"cut {len(proxy.writers)} connections", file=sys.stderr, flush=True)
    proxy.abort()


async def main():
    proxy = PortProxy(int(sys.argv[1]))
    await proxy.start()
    asyncio.get_running_loop().add_reader(sys.stdin, cut, proxy)
    print(f"port {proxy.listening_port}.", file=sys.stderr, flush=True)
    await proxy.server.serve_forever()


asyncio.run(main())
