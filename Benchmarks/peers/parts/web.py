"""Sends over HTTP, against evhttp, which only returns the body: wrk with 32 connections and one request in flight each.

gamed: JSON-RPC in a POST, with rights and limits checked. The limits of requests are off, as there is one client.
The server has the first core, and wrk the last.
"""
import re
import subprocess

from shared.processes import FIRST_CORE, LAST_CORE, cpu_seconds, pinned

from ..bench import BENCHMARKS
from ..rows import Row, require
from ..servers.gamed import Gamed
from ..servers.libevent import EvHTTP

TITLE = "Sends over HTTP, 32 connections (evhttp returns the body)"
ROWS = [
    Row("requests in a second", "1/s", "gamed rate", "evhttp rate", at_least=0.65, peer="evhttp"),
    Row("server CPU for a request", "us", "gamed cpu", "evhttp cpu", peer="evhttp"),
]
CONFIG = "session main flow=game\nallow source:web play\nlimit requests=0\nlimit requestsInAll=0\n"


def measure_posts(bench, server, url, connections=32):
    """Requests per second, and the server's CPU time for one in microseconds. wrk does not say how many requests it has made in
    the time in which the CPU time is read, but the server does nothing before and after it."""
    wrk = require("wrk", "wrk")
    bench.version("wrk", [wrk, "-v"])
    command = [wrk, "-t", "1", "-c", str(connections), "-d", bench.count("2s", "1s"), "-s", str(BENCHMARKS / "post.lua"), url]
    before = cpu_seconds(server.pid)
    done = subprocess.run(pinned(command, LAST_CORE), stdout=subprocess.PIPE, text=True, check=True).stdout
    rate, count = re.search(r"^Requests/sec: *([0-9.]+)", done, re.MULTILINE), re.search(r"(\d+) requests in", done)
    if "Non-2xx" in done or not rate or int(count[1]) == 0:
        raise RuntimeError(f"wrk: {done}")
    return float(rate[1]), (cpu_seconds(server.pid) - before) / int(count[1]) * 1e6


def measure(bench):
    require("wrk", "wrk")
    with EvHTTP(bench, FIRST_CORE) as evhttp, Gamed(bench, "--http", "127.0.0.1:0", config=CONFIG, core=FIRST_CORE) as gamed:
        while True:
            samples = {}
            for name, server, address in (("gamed", gamed, gamed.web), ("evhttp", evhttp, evhttp.address)):
                samples[f"{name} rate"], samples[f"{name} cpu"] = measure_posts(bench, server, f"http://{address}")
            yield samples
