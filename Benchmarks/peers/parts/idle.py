"""An idle server: its resident memory a second after the start, and the time from the start to the first connection, against
Redis. Neither has data, and neither listens on the network."""
import time

from shared.processes import resident_bytes

from ..rows import Row
from ..servers.gamed import Gamed
from ..servers.redis import Redis

TITLE = "An idle server"
ROWS = [
    Row("resident memory", "MiB", "gamed memory", "redis memory", at_most=1.0, peer="Redis"),
    Row("start to first connection", "ms", "gamed start", "redis start", at_most=1.0, peer="Redis"),
]


def measure(bench):
    while True:
        samples = {}
        for name, Peer in (("gamed", Gamed), ("redis", Redis)):
            with Peer(bench) as server:
                time.sleep(bench.count(1, 0))
                samples[f"{name} memory"] = resident_bytes(server.pid) / 2**20
                samples[f"{name} start"] = server.seconds_to_connect * 1000
        yield samples
