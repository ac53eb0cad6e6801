"""Relays TCP connections to a port.

For the line `cut` on standard input it ends all connections. For the line `stall` it keeps all connections, but passes
nothing on from the port to its clients until the next cut.

Usage: relay.py PORT. Prints the port on which it listens.
"""
import asyncio
import sys

from proxy import FROM_TARGET, PortProxy


def disturb(proxy):
    disturbance = sys.stdin.readline().strip()
    if not disturbance:
        sys.exit()
    print(f"{disturbance} {len(proxy.writers)} connections", file=sys.stderr, flush=True)
    if disturbance == "stall":
        proxy.is_open[FROM_TARGET].clear()
    else:
        proxy.abort()
        proxy.is_open[FROM_TARGET].set()


async def main():
    proxy = PortProxy(int(sys.argv[1]))
    await proxy.start()
    asyncio.get_running_loop().add_reader(sys.stdin, disturb, proxy)
    print(f"port {proxy.listening_port}.", file=sys.stderr, flush=True)
    await proxy.server.serve_forever()


asyncio.run(main())
