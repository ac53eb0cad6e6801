#!/usr/bin/env python3
"""Measures takeovers: takeover.py GAMED [KILLS [SESSIONS]].

Two nodes share a database, in a server that the program starts. SESSIONS sessions are open, each with a
running timer. KILLS times in all, the program kills one of the nodes with SIGKILL, and then asks the other node for the status
of every session. For each kill it prints the seconds from the kill to the answer about the last session. At the end it prints
how many takeovers took at most 5 s, and how many took at most 7 s.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from peers.bench import Bench
from peers.servers.postgresql import PostgreSQL
from shared.processes import free_port


class Node:
    """A process of gamed that is one of the two nodes."""

    def __init__(self, program, url, folder, name):
        self.program, self.url, self.folder, self.name = program, url, folder, name
        self.path = f"{folder}/{name}.sock"
        self.address = f"127.0.0.1:{free_port()}"
        self.start()

    def start(self):
        self.log = open(f"{self.folder}/{self.name}.log", "w")
        self.process = subprocess.Popen(
            [self.program, "--no-main", "--store", self.url, "--node", self.name, "--listen", self.address,
             "--advertise", self.address, "--node-secret-file", f"{self.folder}/secret", "--socket", self.path],
            stderr=self.log)
        for _ in range(200):
            try:
                return self.ask([{"method": "ping"}])
            except OSError:
                time.sleep(0.05)
        sys.exit(f"{self.name} does not answer: see {self.log.name}")

    def ask(self, requests):
        """Sends all requests over one connection; returns the results in the order of the requests."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            stream = connection.makefile("rb")
            results = []
            # Sends 500 requests at a time, because the daemon reads no further requests while many replies are not yet read.
            for part_start in range(0, len(requests), 500):
                part = requests[part_start:part_start + 500]
                lines = [json.dumps({"jsonrpc": "2.0", "id": request_id, **request}) for request_id, request in enumerate(part)]
                connection.sendall(("\n".join(lines) + "\n").encode())
                results += [json.loads(stream.readline()) for _ in part]
        for reply in results:
            if "error" in reply:
                sys.exit(f"{self.name} refuses: {reply['error']}")
        return [reply["result"] for reply in results]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if os.path.exists(self.path):
            os.remove(self.path)


def wait_for_shares(node):
    """Waits until each node owns half of the 256 shards."""
    while True:
        answer = node.ask([{"method": "nodes"}])[0]
        if answer["missing"] == 0 and sorted(each["shards"] for each in answer["nodes"]) == [128, 128]:
            return
        time.sleep(0.1)


def measure(program, url, kills, count):
    names = [f"room-{number}" for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/secret", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as secret:
            secret.write("0123456789abcdef0123456789abcdef\n")
        nodes = [Node(program, url, folder, name) for name in ("a", "b")]
        try:
            wait_for_shares(nodes[0])
            nodes[0].ask([{"method": "open", "params": {"session": name}} for name in names])
            nodes[0].ask(
                [{"method": "send", "params": {"session": name, "event": "displayHelp"}} for name in names])
            times = []
            for number in range(kills):
                killed, other = nodes[number % 2], nodes[1 - number % 2]
                start = time.monotonic()
                killed.kill()
                statuses = other.ask([{"method": "status", "params": {"session": name}} for name in names])
                times.append(time.monotonic() - start)
                assert len(statuses) == count
                print(f"{times[-1]:.2f} s", flush=True)
                killed.start()
                wait_for_shares(other)
            counts_within = [sum(each <= limit for each in times) for limit in (5, 7)]
            print(f"{kills} takeovers of {count} sessions, half of them on the killed node: "
                  f"{min(times):.2f} to {max(times):.2f} s, {counts_within[0]} within 5 s, {counts_within[1]} within 7 s")
        finally:
            for node in nodes:
                node.kill()


def main():
    program = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    with Bench(program, is_smoke=False) as bench, PostgreSQL(bench) as database:
        measure(program, database.prepare_for_gamed(bench), kills, count)


main()
