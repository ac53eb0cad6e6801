"""Disturbs nodes that share a PostgreSQL database. Counts changes that were lost or doubled, and timers that fired early or
after their state was left.

Usage: cluster.py GAMED URL FOLDER [--kills N] [--stops N] [--cuts N] [--stalls N]
                  [--restarts N --restart COMMAND] [--upgrades N] [--partitions N]

Starts three nodes. Workers play sessions of the flow `game` through any node. Each request has an id, and a
worker repeats the request with this id until it is answered. Meanwhile these faults happen:
- A node is killed, or suspended for longer than a lease (3 s).
- The database is restarted.
- A node's connections to the database are cut or stalled, for up to twice the length of a lease.
- With `--upgrades`, all nodes are restarted, one at a time, as in a rolling upgrade.
- With `--partitions`, the connections from the other nodes to one node are cut, or stalled in one or both directions.
In the end the history of each session is read through random nodes and compared with the acknowledged changes.

Other clients send events with tags, repeat them with their ids while no answer arrives, and sometimes give up. Their requests
are compared with the histories: each acknowledged change is there once, each other at most once, in an order that agrees with
real time. See histories.py.

Finally the counters themselves are checked. Each kind of error that they count is inserted into a copy of a history. In the
output, `controls` has the resulting count of each kind.
"""
import argparse
import asyncio
import atexit
import copy
import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid

import histories
from proxy import FROM_TARGET, TO_TARGET, PortProxy, Proxy, free_port

# A flow in which each accepted event is a change of its own, named by its argument.
MARKS_FLOW = """
flow: marks
start: open
events: {mark: {args: {tag: text}}}
effects: [seen]
states:
  open:
    on:
      mark: {do: seen}
"""

# The time-out of the state `help` in the workers' sessions, in milliseconds.
HELP_MS = 1500


class DatabaseProxy(Proxy):
    """Listens on a UNIX socket in a folder of its own, and connects to the socket of the database."""

    FILE = ".s.PGSQL.5432"

    def __init__(self, folder, database):
        super().__init__()
        self.folder, self.database = folder, f"{database}/{self.FILE}"

    async def start(self):
        os.mkdir(self.folder)
        self.server = await asyncio.start_unix_server(self.accept, f"{self.folder}/{self.FILE}")

    async def connect(self):
        return await asyncio.open_unix_connection(self.database)


class Node:
    """A gamed in a process of its own, with two optional proxies: to the database, and from the other nodes."""

    CERTIFICATES = (
        ("--tls-cert", "server.pem"), ("--tls-key", "server.key"), ("--node-ca", "nodes.pem"),
        ("--node-cert", "{}.pem"), ("--node-key", "{}.key"))

    def __init__(self, name, options):
        self.name, self.options, self.process = name, options, None
        self.port = free_port()
        self.socket = f"{options.folder}/{name}.sock"
        self.url, self.database_proxy, self.port_proxy = options.url, None, None

    async def connect_through_proxy(self):
        """Starts a proxy to the database. The node uses it from its next start on."""
        url, _, folder = self.options.url.partition("?host=")
        self.database_proxy = DatabaseProxy(f"{self.options.folder}/proxy-{self.name}", folder)
        self.url = f"{url}?host={self.database_proxy.folder}"
        await self.database_proxy.start()

    async def add_port_proxy(self):
        """Starts a proxy in front of the node's port. The other nodes use it once they read its address in the database."""
        self.port_proxy = PortProxy(self.port)
        await self.port_proxy.start()
        sql = (f"UPDATE gamed_node SET address = '127.0.0.1:{self.port_proxy.listening_port}' "
               f"WHERE name = '{self.name}'")
        subprocess.run(["psql", "-X", "-q", self.options.url, "-c", sql], check=True)

    async def upgrade(self):
        """Ends cleanly and starts again, and returns when the nodes own equal shares of all shards."""
        self.signal(signal.SIGTERM)
        while self.process.poll() is None:
            await asyncio.sleep(0.02)
        assert self.process.returncode == 0, f"{self.name} ended with {self.process.returncode}"
        self.start()
        await self.wait_for_equal_shares()

    async def wait_for_equal_shares(self):
        """Returns when all shards are owned, and the numbers of shards of the nodes differ by at most one."""
        while True:
            connection = Connection(self)
            try:
                nodes = (await connection.ask("nodes", timeout=4))["result"]
                shares = [node["shards"] for node in nodes["nodes"]]
                if len(shares) == 3 and max(shares) - min(shares) <= 1 and nodes["missing"] == 0:
                    return
            except (OSError, asyncio.TimeoutError, KeyError, json.JSONDecodeError):
                pass
            finally:
                connection.close()
            await asyncio.sleep(0.1)

    def start(self):
        address = f"127.0.0.1:{self.port}"
        log = open(f"{self.options.folder}/{self.name}.log", "a")
        self.process = subprocess.Popen(
            [self.options.gamed, "--socket", self.socket, "--store", self.url, "--node",
             self.name, "--listen", address, "--advertise", address, "--no-main",
             "--hold", getattr(self.options, "hold", "20s"),
             "--flows", f"{self.options.folder}/flows",
             # A proof by a secret does not hold through a proxy.
             *(word for option, file in self.CERTIFICATES
               for word in (option, f"{self.options.folder}/{file.format(self.name)}"))],
            stdout=log, stderr=log)
        # Also if this script ends with an error. Has no effect on a process that has ended.
        atexit.register(self.process.kill)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Connection:
    """A connection to one node, made by the first request. Requests and replies are lines of JSON."""

    def __init__(self, node):
        self.node, self.reader, self.writer = node, None, None

    async def ask(self, method, timeout=30, **params):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_unix_connection(
                self.node.socket, limit=1 << 24)
        line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.writer.write(json.dumps(line).encode() + b"\n")
        reply = await asyncio.wait_for(self.reader.readline(), timeout)
        if not reply.endswith(b"\n"):
            raise ConnectionError("the connection ended")
        return json.loads(reply)

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Worker:
    """Plays one session, and records the acknowledged changes."""

    def __init__(self, name, nodes):
        self.name, self.nodes = name, nodes
        # The method and the seq of each acknowledged change, by the id of its request.
        self.acknowledged = {}
        self.refusals = []
        # How long each request took until it was answered, in seconds.
        self.waits = []

    async def ask_until_answered(self, method, **params):
        """Repeats a request with its id until the reply is a result or a refusal.

        Returns None if the request was refused. The errors `storage` and `elsewhere` are no refusals, but failures of a node.
        """
        params = dict(params, session=self.name, id=str(uuid.uuid4()))
        start = time.monotonic()
        connection = None
        while True:
            connection = connection or Connection(random.choice(self.nodes))
            try:
                reply = await connection.ask(method, timeout=4, **params)
            except (OSError, asyncio.TimeoutError, json.JSONDecodeError):
                connection.close()
                connection = None
                await asyncio.sleep(0.02)
                continue
            error = reply.get("error")
            if error is not None and error["message"] in ("storage", "elsewhere"):
                connection.close()
                connection = None
                await asyncio.sleep(0.02)
                continue
            connection.close()
            wait = time.monotonic() - start
            self.waits.append(wait)
            if error is not None:
                self.refusals.append((params["id"], round(start, 2), round(wait, 2), error))
                return None
            result = reply["result"]
            self.acknowledged[params["id"]] = (method, result["seq"])
            return result

    async def status(self):
        while True:
            connection = Connection(random.choice(self.nodes))
            try:
                reply = await connection.ask("status", timeout=4, session=self.name)
                if "result" in reply:
                    return reply["result"]
            except (OSError, asyncio.TimeoutError, json.JSONDecodeError):
                pass
            finally:
                connection.close()
            await asyncio.sleep(0.02)

    async def play(self, is_over):
        await self.ask_until_answered("open", flow="game", settings={"help": f"{HELP_MS}ms"})
        # Whether an event ends the next help screen, instead of its timer. The timer ends the first help screen, because
        # `controls` needs a history with the record of a timer.
        is_dismissed = False
        while not is_over():
            # A request that gets no answer is sent again. A slow node may execute the first request later, after the second
            # request was answered. So each request names the entry for which it is meant, and is refused in any later entry.
            status = await self.status()
            if status["state"] != "introduction":
                # The session shows the help screen, which its timer must end.
                await asyncio.sleep(0.1)
                continue
            entered = await self.ask_until_answered("send", event="displayHelp", entry=status["entry"])
            if entered is None:
                continue
            if is_dismissed:
                await asyncio.sleep(random.uniform(0, 0.3))
                await self.ask_until_answered("send", event="dismissHelp", entry=entered["entry"])
            else:
                await asyncio.sleep(HELP_MS / 1000 + random.uniform(0, 0.4))
            is_dismissed = random.random() < 0.5
        # Waits until the timer of the last help screen has fired, because the history is read next.
        await asyncio.sleep(HELP_MS / 1000 + 1)


class Marker:
    """Sends events with tags to one session. Other markers send to the same session."""

    def __init__(self, name, nodes, operations):
        self.name, self.nodes, self.operations = name, nodes, operations

    async def ask(self, method, patience, **params):
        """Repeats a request with its id, each time through a random node, until it is answered or for `patience` seconds. Returns
        the reply; None without an answer."""
        params = dict(params, session=self.name, id=str(uuid.uuid4()))
        end = time.monotonic() + patience
        while time.monotonic() < end:
            connection = Connection(random.choice(self.nodes))
            try:
                # The client gives up before a suspended node goes on.
                reply = await connection.ask(method, timeout=random.uniform(0.3, 2), **params)
                if reply.get("error", {}).get("message") not in ("storage", "elsewhere"):
                    return reply
            except (OSError, asyncio.TimeoutError, json.JSONDecodeError):
                pass
            finally:
                connection.close()
            await asyncio.sleep(0.02)
        return None

    async def play(self, is_over):
        await self.ask("open", 60, flow="marks")
        while not is_over():
            tag = self.operations.begin(self.name)
            # One of four requests is given up soon.
            patience = random.uniform(0.1, 2) if random.random() < 0.25 else 60
            reply = await self.ask("send", patience, event="mark", args={"tag": tag})
            if reply is not None:
                self.operations.end(tag, reply.get("result", {}).get("seq"))
            await asyncio.sleep(random.uniform(0, 0.05))


class Watcher:
    """Watches all sessions at one node, and counts how often it is notified of each change."""

    def __init__(self, node):
        self.connection, self.gaps = Connection(node), 0
        # The number of notifications of each change, by session and seq.
        self.notification_counts = {}

    async def start(self):
        await self.connection.ask("watch", session="*")
        self.task = asyncio.create_task(self.read())

    async def read(self):
        while line := await self.connection.reader.readline():
            message = json.loads(line)
            if message.get("method") == "gap":
                self.gaps += 1
            elif message.get("method") == "change":
                key = (message["params"]["session"], message["params"]["seq"])
                self.notification_counts[key] = self.notification_counts.get(key, 0) + 1

    def end(self, counts, played):
        """Compares the notifications with the histories `played`, and adds the differences to the counts."""
        self.task.cancel()
        changes = [(name, record["seq"]) for name, records in played.items()
                   for record in records if record["kind"] != "refused"]
        counts["gaps"] = self.gaps
        counts["unseen"] = sum(key not in self.notification_counts for key in changes)
        counts["seenTwice"] = sum(count > 1 for count in self.notification_counts.values())


async def history(name, nodes):
    """The records of a session, read page by page from random nodes, the oldest first."""
    records, before = [], None
    while True:
        try:
            connection = Connection(random.choice(nodes))
            start = {} if before is None else {"before": before}
            reply = await connection.ask("history", timeout=5, session=name, limit=500, **start)
            connection.close()
            page = reply["result"]
        except (OSError, asyncio.TimeoutError, KeyError, json.JSONDecodeError):
            await asyncio.sleep(0.1)
            continue
        records += page["records"]
        if not page["more"]:
            return list(reversed(records))
        before = page["next"]["before"]


def insert_error(records, error):
    """Changes a history so that it has an error of one kind, such as `lost`."""
    indices = [i for i, r in enumerate(records)
               if r["source"]["kind"] != "timer" and r["kind"] != "refused" and i > 0]
    if error == "lost":
        del records[indices[0]]
    elif error == "doubled":
        records.insert(indices[0], dict(records[indices[0]]))
    else:
        fired = next(i for i, r in enumerate(records) if r["source"]["kind"] == "timer")
        if error == "early":
            # A kill can delay a timer by seconds, so the new time is counted from the entry.
            records[fired]["atMs"] = entered_at(records, fired) + HELP_MS - 1
        else:
            records[fired]["from"]["state"] = "introduction"


def entered_at(records, index):
    """The time, in milliseconds, of the entry into the help screen that the record at `index` ends."""
    return next(r["atMs"] for r in reversed(records[:index])
                if r["kind"] in ("enter", "open", "goto") and r["to"]["state"] == "help")


def check(worker, records, counts, is_control=False):
    """Compares a history with the acknowledged changes of its worker, and adds the differences to the counts."""
    records = [r for r in records if r["kind"] != "refused"]
    check_acknowledged(worker, records, counts, is_control)
    check_timers(records, counts)


def check_acknowledged(worker, records, counts, is_control):
    seqs = [r["seq"] for r in records]
    recorded = set(seqs)
    acknowledged = {seq for _, seq in worker.acknowledged.values()}
    requested = [r for r in records if r["source"]["kind"] != "timer"]
    counts["acknowledged"] += len(worker.acknowledged)
    counts["lost"] += sum(seq not in recorded for _, seq in worker.acknowledged.values())
    counts["doubled"] += max(0, len(requested) - len(worker.acknowledged)) + len(seqs) - len(recorded)
    for record in requested:
        if record["seq"] not in acknowledged and not is_control:
            print("not acknowledged:", json.dumps(record), worker.refusals, file=sys.stderr)


def check_timers(records, counts):
    """Counts timers that fired early, or in another state than their own (`left`)."""
    help_entered = None
    for record in records:
        if record["source"]["kind"] == "timer":
            counts["timers"] += 1
            if help_entered is None or record["from"]["state"] != "help":
                counts["left"] += 1
            else:
                delay_ms = record["atMs"] - help_entered - HELP_MS
                counts["early"] += delay_ms < 0
                counts["latestMs"] = max(counts["latestMs"], delay_ms)
        if record["kind"] in ("enter", "open", "goto"):
            to = record.get("to")
            help_entered = record["atMs"] if to and to["state"] == "help" else None


# The faults of `--partitions`: the connections from the other nodes to one node are cut, or stalled in one or both directions.
PARTITIONS = ["cut port", "stall both", "stall to node", "stall from node"]
STALLED_DIRECTIONS = {
    "stall both": (TO_TARGET, FROM_TARGET), "stall to node": (TO_TARGET,), "stall from node": (FROM_TARGET,)}

ZERO_COUNTS = {"acknowledged": 0, "lost": 0, "doubled": 0, "timers": 0, "early": 0, "left": 0,
               "latestMs": 0}


def controls(worker, records):
    """Inserts each kind of error into its own copy of a history. Returns how many errors of each kind `check` counts."""
    found = {}
    for error in ("lost", "doubled", "early", "left"):
        changed = copy.deepcopy(records)
        insert_error(changed, error)
        counts = dict(ZERO_COUNTS)
        check(worker, changed, counts, is_control=True)
        found[error] = counts[error]
    return found


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("gamed")
    parser.add_argument("url")
    parser.add_argument("folder")
    parser.add_argument("--sessions", type=int, default=12)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--stops", type=int, default=0)
    parser.add_argument("--cuts", type=int, default=0)
    parser.add_argument("--stalls", type=int, default=0)
    parser.add_argument("--restarts", type=int, default=0)
    parser.add_argument("--restart", default="")
    parser.add_argument("--upgrades", type=int, default=0)
    parser.add_argument("--partitions", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    return parser.parse_args()


def write_flows(folder):
    """Writes the flow of the markers into the directory of the nodes' flow files."""
    os.makedirs(f"{folder}/flows", exist_ok=True)
    with open(f"{folder}/flows/marks.yaml", "w") as file:
        file.write(MARKS_FLOW)


async def start_nodes(options):
    """Starts three nodes, with the proxies that the faults need."""
    subprocess.run([f"{os.path.dirname(os.path.abspath(__file__))}/node-certificates", options.folder], check=True)
    write_flows(options.folder)
    nodes = [Node(name, options) for name in "abc"]
    for node in nodes:
        if options.cuts + options.stalls > 0:
            await node.connect_through_proxy()
        node.start()
    if options.upgrades + options.partitions > 0:
        for node in nodes:
            await node.wait_for_equal_shares()
    if options.partitions > 0:
        for node in nodes:
            await node.add_port_proxy()
        # After two seconds each node has read the new addresses.
        await asyncio.sleep(2)
    return nodes


def all_faults(options):
    """The faults in a random order."""
    faults = (["kill"] * options.kills + ["stop"] * options.stops + ["cut"] * options.cuts
              + ["stall"] * options.stalls + ["restart"] * options.restarts
              + ["upgrade"] * options.upgrades)
    faults += [PARTITIONS[number % len(PARTITIONS)] for number in range(options.partitions)]
    random.shuffle(faults)
    return faults


async def apply(fault, nodes, options):
    """Applies a fault to a random node, or to all nodes. Returns when the fault is over."""
    node = random.choice(nodes)
    if fault == "kill":
        node.kill()
        await asyncio.sleep(random.uniform(0.2, 5))
        node.start()
    elif fault == "stop":
        node.signal(signal.SIGSTOP)
        # Longer than a lease.
        await asyncio.sleep(5)
        node.signal(signal.SIGCONT)
    elif fault == "cut":
        await node.database_proxy.cut(random.uniform(0.1, 5))
    elif fault == "stall":
        await node.database_proxy.stall(random.uniform(1, 6))
    elif fault == "upgrade":
        for each in nodes:
            await each.upgrade()
    elif fault == "cut port":
        await node.port_proxy.cut(random.uniform(1, 6))
    elif fault in STALLED_DIRECTIONS:
        await node.port_proxy.stall(random.uniform(1, 6), STALLED_DIRECTIONS[fault])
    else:
        restart = await asyncio.create_subprocess_shell(
            options.restart, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await restart.wait()


async def play_with_faults(workers, nodes, options):
    """Lets the workers and the markers play until all faults have been applied."""
    is_over = False
    tasks = [asyncio.create_task(worker.play(lambda: is_over)) for worker in workers]
    await asyncio.sleep(3)
    faults = all_faults(options)
    for fault in faults:
        await apply(fault, nodes, options)
        await asyncio.sleep(random.uniform(1, 3))
    if not faults:
        await asyncio.sleep(4)
    is_over = True
    await asyncio.gather(*tasks)


async def main():
    options = read_options()
    random.seed(options.seed)
    nodes = await start_nodes(options)
    watcher = Watcher(nodes[0]) if options.partitions > 0 else None
    if watcher:
        await watcher.start()
    workers = [Worker(f"s{number}", nodes) for number in range(options.sessions)]
    operations = histories.Operations(time.monotonic)
    # Three clients of each session.
    marked = [f"m{number}" for number in range(4)]
    markers = [Marker(name, nodes, operations) for name in marked * 3]
    await play_with_faults(workers + markers, nodes, options)
    counts = dict(ZERO_COUNTS)
    marks = {name: await history(name, nodes) for name in marked}
    counts["sent"] = len(operations.operations)
    counts["marks"] = histories.differences(operations.operations, marks)
    counts["planted"] = histories.planted(operations.operations, marks)
    played = {worker.name: await history(worker.name, nodes) for worker in workers}
    for worker in workers:
        check(worker, played[worker.name], counts)
    counts["controls"] = controls(workers[0], played[workers[0].name])
    if watcher:
        watcher.end(counts, played)
    waits = sorted(wait for worker in workers for wait in worker.waits)
    counts["p99Ms"] = round(waits[int(len(waits) * 0.99)] * 1000)
    counts["longestMs"] = round(waits[-1] * 1000)
    counts["seed"] = options.seed
    for node in nodes:
        node.process.terminate()
    counts["badEnds"] = sum(node.process.wait() != 0 for node in nodes)
    print(json.dumps(counts))


if __name__ == "__main__":
    asyncio.run(main())
