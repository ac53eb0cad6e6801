#!/usr/bin/env python3
"""Measures how long the daemon's event loop is held: `turns.py GAMED [PART]`. Needs strace, and PostgreSQL for the nodes. With
PART, measures only the cases whose names contain it.

A turn of the loop lasts from the return of one wait for events to the next wait. The daemon reads nothing and fires no timer in
other turns meanwhile, so no turn should last longer than 10 ms. strace reports the waits; the daemon's other system calls run
at full speed, because strace filters them in the kernel. Each case is a load that could hold the loop, and is run several times;
the shortest of the longest turns is printed, because other programs can only make a turn longer.
"""
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

from peers.bench import Bench
from peers.servers.postgresql import PostgreSQL
from shared.processes import free_port

gamed = os.path.abspath(sys.argv[1])
ROUNDS = 3
BOUND_MS = 10
WATCHERS = 9_000
SESSIONS = 10_000
RESTORED = 100_000
WAIT = re.compile(r"^(\d+) +(\d+\.\d+) epoll_p?wait2?\(.*<(\d+\.\d+)>$")


class Daemon:
    """A daemon that strace observes."""

    def __init__(self, folder, config_lines="", *options):
        self.path = os.path.join(folder, "gamed.sock")
        self.trace = os.path.join(folder, "trace")
        config = os.path.join(folder, "gamed.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(config_lines)
        command = ["strace", "-f", "--seccomp-bpf", "-qq", "-ttt", "-T", "-o", self.trace]
        command += ["-e", "trace=epoll_wait,epoll_pwait,epoll_pwait2", "-e", "signal=none"]
        command += [gamed, "--socket", self.path, "--config", config, *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.log = []
        self.is_ready = threading.Event()
        threading.Thread(target=self.read_log, daemon=True).start()
        if not self.is_ready.wait(300):
            sys.exit("the daemon did not start:\n" + "".join(self.log))
        # The daemon is the child of strace.
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            self.pid = int(file.read().split()[0])

    def read_log(self):
        for line in self.process.stderr:
            self.log.append(line)
            if " listens at " in line:
                self.is_ready.set()

    def wait_for_log(self, text):
        while not any(text in line for line in self.log):
            time.sleep(0.05)

    def client(self):
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
        return client

    def longest_turn(self, since):
        """The longest turn that began after the instant `since`, in milliseconds, and the number of turns."""
        # strace writes a line when the call has returned.
        time.sleep(0.3)
        longest, count, wait_end = 0, 0, None
        with open(self.trace, encoding="ascii", errors="replace") as file:
            for line in file:
                match = WAIT.match(line)
                if not match or int(match[1]) != self.pid:
                    continue
                start, duration = float(match[2]), float(match[3])
                if wait_end and wait_end >= since:
                    longest, count = max(longest, (start - wait_end) * 1000), count + 1
                wait_end = start + duration
        return longest, count

    def end(self, signal=15):
        os.kill(self.pid, signal)
        self.process.wait()

    def kill(self):
        self.end(signal=9)


def read_line(client):
    answer = b""
    while not answer.endswith(b"\n"):
        answer += client.recv(1 << 20)
    return answer


def ask(client, line):
    """Sends a line, and returns the reply."""
    client.sendall(line.encode() + b"\n")
    return read_line(client).decode()


def ask_many(clients, lines):
    """Sends each line over another connection, and reads their replies."""
    for start in range(0, len(lines), len(clients)):
        pairs = list(zip(clients, lines[start:start + len(clients)]))
        for client, line in pairs:
            client.sendall(line.encode() + b"\n")
        for client, _ in pairs:
            read_line(client)


def open_sessions(daemon, count, events=()):
    """Opens sessions, and sends each the events."""
    # A node answers the requests of a connection one after the other, each when it is durable.
    clients = [daemon.client() for _ in range(200)]
    ask_many(clients, [f"open @s{number}" for number in range(count)])
    for event in events:
        ask_many(clients, [f"send @s{number} {event}" for number in range(count)])
    for client in clients:
        client.close()


class Reader:
    """Reads and drops what arrives at many connections."""

    def __init__(self, clients):
        self.poll = select.epoll()
        self.clients = {client.fileno(): client for client in clients}
        for descriptor in self.clients:
            self.poll.register(descriptor, select.EPOLLIN)
        self.byte_count = 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            for descriptor, _ in self.poll.poll():
                data = self.clients[descriptor].recv(1 << 16)
                if not data:
                    return
                self.byte_count += len(data)


def wait_until_quiet(reader):
    """Waits until no bytes have arrived for half a second."""
    before = -1
    while before != reader.byte_count:
        before = reader.byte_count
        time.sleep(0.5)


def watchers(folder):
    """A change is delivered to many watchers."""
    daemon = Daemon(folder, f"limit clients={WATCHERS + 10}\n")
    clients = []
    for _ in range(WATCHERS):
        client = daemon.client()
        ask(client, "watch @main topics=changes")
        clients.append(client)
    reader = Reader(clients)
    with daemon.client() as client:
        def play():
            for event in ("displayHelp", "dismissHelp"):
                ask(client, f"send {event}")
                wait_until_quiet(reader)
        yield from measure(daemon, play)


def lists(folder):
    """A batch of questions for the list of all sessions."""
    daemon = Daemon(folder)
    open_sessions(daemon, SESSIONS)
    question = {"jsonrpc": "2.0", "id": 1, "method": "list", "params": {}}
    batch = json.dumps([question] * 20)
    with daemon.client() as client:
        yield from measure(daemon, lambda: ask(client, batch))


def reload(folder):
    """SIGHUP with a thousand flow files."""
    flows = os.path.join(folder, "flows")
    os.mkdir(flows)
    for number in range(1000):
        write_flow(flows, number, "")
    daemon = Daemon(folder, f"flows {flows}\n")
    revision = 0

    def change():
        nonlocal revision
        revision += 1
        for number in range(1000):
            write_flow(flows, number, f"# revision {revision}\n")
        with daemon.client() as client:
            answer = ask(client, "reload")
            if not answer.startswith("OK"):
                sys.exit("the reload failed: " + answer)
    yield from measure(daemon, change)


def write_flow(folder, number, comment):
    with open(os.path.join(folder, f"f{number}.yaml"), "w", encoding="ascii") as file:
        file.write(f"""{comment}flow: f{number}
start: closed
events:
  open:
  close:
states:
  closed:
    on:
      open: open
  open:
    timers:
      tooLong: {{after: 30s}}
    on:
      tooLong: closed
      close: closed
""")


def restart(folder):
    """A daemon starts, and restores many sessions with a running timer each."""
    options = ["--no-main", "--state-dir", os.path.join(folder, "state")]
    lines = "set game help=1h\n"
    daemon = Daemon(folder, lines, *options)
    open_sessions(daemon, RESTORED, ["displayHelp"])
    for _ in range(ROUNDS):
        daemon.kill()
        since = time.time()
        daemon = Daemon(folder, lines, *options)
        with daemon.client() as client:
            ask(client, f"status @s{RESTORED - 1}")
        time.sleep(1)
        yield daemon.longest_turn(since)
    daemon.end()


def takeover(folder):
    """A node takes the shards of a node that was killed: half of many sessions, with a running timer each."""
    yield from with_two_nodes(folder, lambda _, other: other.kill())


def hand_over(folder):
    """A node takes the shards of a node that is stopped, one after the other."""
    yield from with_two_nodes(folder, lambda _, other: other.end())


def with_two_nodes(folder, stop):
    """Yields the longest turn of a node, in each round from `stop` of the other node until the first node owns all shards."""
    with Bench(gamed, is_smoke=False) as bench, PostgreSQL(bench) as database:
        url = database.prepare_for_gamed(bench)
        secret = os.path.join(folder, "secret")
        with open(secret, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("0123456789abcdef0123456789abcdef\n")

        def start(name):
            address = f"127.0.0.1:{free_port()}"
            own = os.path.join(folder, name)
            os.makedirs(own, exist_ok=True)
            return Daemon(own, "set game help=1h\n", "--no-main", "--store", url, "--node", name, "--listen", address,
                          "--advertise", address, "--node-secret-file", secret)

        node, other = start("a"), start("b")
        wait_for_shards(node, 128)
        open_sessions(node, RESTORED, ["displayHelp"])
        for number in range(ROUNDS):
            time.sleep(1)
            since = time.time()
            stop(node, other)
            wait_for_shards(node, 256)
            time.sleep(1)
            yield node.longest_turn(since)
            if number < ROUNDS - 1:
                other = start("b")
                wait_for_shards(node, 128)
        node.end()


def wait_for_shards(node, count):
    """Waits until the node owns this number of shards, and every shard has an owner."""
    with node.client() as client:
        while True:
            answer = json.loads(ask(client, "nodes").removeprefix("OK "))
            owned = sum(each["shards"] for each in answer["nodes"] if each["self"])
            if answer["missing"] == 0 and owned == count:
                return
            time.sleep(0.05)


def measure(daemon, load):
    """Yields the longest turn in milliseconds and the number of turns, for each round of the load."""
    for _ in range(ROUNDS):
        time.sleep(0.5)
        since = time.time()
        load()
        yield daemon.longest_turn(since)
    daemon.end()


CASES = {
    f"a change for {WATCHERS} watchers": watchers,
    f"20 lists of {SESSIONS} sessions in one batch": lists,
    "SIGHUP with 1000 changed flow files": reload,
    f"a start with {RESTORED} sessions": restart,
    f"a takeover of {RESTORED // 2} sessions": takeover,
    f"a hand-over of {RESTORED // 2} sessions": hand_over,
}

print(f"The longest turn of the event loop, in ms: best of {ROUNDS} rounds.\n")
print(f"{'':44} {'longest':>8} {'turns':>7} {'bound':>6}")
for title, case in CASES.items():
    if len(sys.argv) > 2 and sys.argv[2] not in title:
        continue
    with tempfile.TemporaryDirectory() as folder:
        turn, count = min(case(folder))
    verdict = "holds" if turn <= BOUND_MS else "DOES NOT HOLD"
    print(f"{title:44} {turn:8.1f} {count:7} {BOUND_MS:6} {verdict}", flush=True)
