"""Durable transitions of 64 clients with one request in flight each, against Redis that syncs its log before each reply.

gamed: `send` with a state directory: the reply comes when the change is on the disk.
Redis: the script of servers/redis.py with `appendfsync always`. Both collect what arrives while the disk works.
The servers and the clients may use all cores.
"""
from ..clients import measure_clients
from ..rows import Row
from ..servers.gamed import Gamed, open_sessions, sends
from ..servers.redis import Redis, open_sessions as open_in_redis, transitions

TITLE = "Durable: 64 clients with one in flight each (Redis: appendfsync always)"
ROWS = [
    Row("requests in a second", "1/s", "gamed rate", "peer rate", at_least=0.9, peer="Redis"),
    Row("server CPU for a request", "us", "gamed cpu", "peer cpu", peer="Redis"),
]


def measure(bench):
    with Redis(bench, "--dir", bench.new_folder(), "--appendonly", "yes", "--appendfsync", "always", core=None) as redis, \
            Gamed(bench, "--state-dir", bench.new_folder() + "/state", core=None) as gamed:
        open_sessions(bench, gamed, 64)
        open_in_redis(bench, redis, 64)
        digest = redis.load_transition()
        count = bench.count(1000, 2)
        while True:
            samples = {}
            samples["gamed rate"], samples["gamed cpu"] = measure_clients(bench, gamed, count, sends("s%d"))
            samples["peer rate"], samples["peer cpu"] = measure_clients(bench, redis, count, transitions(digest, "s%d"))
            yield samples
