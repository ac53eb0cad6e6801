"""Many clients with one request in flight each: the rate, and the server's CPU time."""
import time

from shared.processes import cpu_seconds


def measure_clients(bench, server, count, messages, clients=64):
    """Returns requests per second, and the server's CPU time for a request in microseconds."""
    before = cpu_seconds(server.pid)
    rate = bench.run("clients", server.address, clients, count, *messages, core=None)[0]
    return rate, (cpu_seconds(server.pid) - before) / (clients * count) * 1e6
