"""Kills nodes that share a PostgreSQL database, and counts lost, repeated, early and missing changes.

Usage: cluster.py GAMED URL FOLDER [--kills N] [--stops N] [--cuts N] [--stalls N]
                  [--restarts N --restart COMMAND] [--upgrades N] [--partitions N]

Starts three nodes. Workers play sessions of the flow `game` through any node, each request with an
id, and repeat a request with its id until it is answered. Meanwhile nodes are killed or suspended for
longer than a lease, the database is restarted, or a node's connections to the database are cut, or
stalled for longer than a lease. With `--upgrades` all nodes are restarted, one at a time, as in a rolling
upgrade. With `--partitions` the connections from the other nodes to one of them are cut, or stalled in one
direction or in both. In the end the history of each session is read
through one node and compared with the acknowledged changes.

Finally each kind of fault is inserted into a copy of a history, to check the counters themselves:
`controls` has the results.
"""
import argparse
import asyncio
import copy
import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid

from proxy import PortProxy, Proxy, free_port

HELP_MS = 1500


class DatabaseProxy(Proxy):
    """A node's way to the database: a UNIX socket."""

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
    def __init__(self, name, options):
        self.name, self.options, self.process = name, options, None
        self.port = free_port()
        self.socket = f"{options.folder}/{name}.sock"
        self.url, self.proxy, self.way = options.url, None, None

    async def connect_through_proxy(self):
        url, _, folder = self.options.url.partition("?host=")
        self.proxy = DatabaseProxy(f"{self.options.folder}/proxy-{self.name}", folder)
        self.url = f"{url}?host={self.proxy.folder}"
        await self.proxy.start()

    async def put_proxy_before(self):
        """Other nodes connect through a proxy from now on."""
        self.way = PortProxy(self.port)
        await self.way.start()
        sql = (f"UPDATE gamed_node SET address = '127.0.0.1:{self.way.own}' "
               f"WHERE name = '{self.name}'")
        subprocess.run(["psql", "-X", "-q", self.options.url, "-c", sql], check=True)

    async def upgrade(self):
        """Ends cleanly and starts again, and returns when the nodes own equal shares of all shards."""
        self.signal(signal.SIGTERM)
        while self.process.poll() is None:
            await asyncio.sleep(0.02)
        assert self.process.returncode == 0, f"{self.name} ended with {self.process.returncode}"
        self.start()
        await self.wait_for_shares()

    async def wait_for_shares(self):
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
             self.name, "--listen", address, "--advertise", address, "--node-secret-file",
             f"{self.options.folder}/secret", "--no-main", "--hold", "20s"],
            stdout=log, stderr=log)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Connection:
    """A connection to one node, which exchanges lines of JSON."""

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
        self.acknowledged = {}
        self.longest = 0.0
        self.refusals = []
        self.waits = []

    async def sure(self, method, **params):
        """Repeats a request with its id until the answer is not a failure of a node."""
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
            self.longest = max(self.longest, wait)
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
        await self.sure("open", flow="game", settings={"help": f"{HELP_MS}ms"})
        # The first timer always ends its state: the controls need one in each session.
        dismisses = False
        while not is_over():
            # An attempt without an answer may still be executed if a later one was refused. Because it has
            # the number of the entry, it is not executed in another entry.
            status = await self.status()
            if status["state"] != "introduction":
                # The timer of the help screen must end it.
                await asyncio.sleep(0.1)
                continue
            entered = await self.sure("send", event="displayHelp", entry=status["entry"])
            if entered is None:
                continue
            if dismisses:
                await asyncio.sleep(random.uniform(0, 0.3))
                await self.sure("send", event="dismissHelp", entry=entered["entry"])
            else:
                await asyncio.sleep(HELP_MS / 1000 + random.uniform(0, 0.4))
            dismisses = random.random() < 0.5
        # Waits for the last timer before the history is read.
        await asyncio.sleep(HELP_MS / 1000 + 1)


class Watcher:
    """Watches all sessions at one node, and counts how often it is notified of each change."""

    def __init__(self, node):
        self.connection, self.seen, self.gaps = Connection(node), {}, 0

    async def begin(self):
        await self.connection.ask("watch", session="*")
        self.task = asyncio.create_task(self.read())

    async def read(self):
        while line := await self.connection.reader.readline():
            message = json.loads(line)
            if message.get("method") == "gap":
                self.gaps += 1
            elif message.get("method") == "change":
                key = (message["params"]["session"], message["params"]["seq"])
                self.seen[key] = self.seen.get(key, 0) + 1

    def end(self, counts, histories):
        self.task.cancel()
        changes = [(name, record["seq"]) for name, records in histories.items()
                   for record in records if record["kind"] != "refused"]
        counts["gaps"] = self.gaps
        counts["unseen"] = sum(key not in self.seen for key in changes)
        counts["seenTwice"] = sum(times > 1 for times in self.seen.values())


async def history(name, nodes):
    records, before = [], None
    while True:
        try:
            connection = Connection(random.choice(nodes))
            more = {} if before is None else {"before": before}
            reply = await connection.ask("history", timeout=5, session=name, limit=500, **more)
            connection.close()
            page = reply["result"]
        except (OSError, asyncio.TimeoutError, KeyError, json.JSONDecodeError):
            await asyncio.sleep(0.1)
            continue
        records += page["records"]
        if not page["more"]:
            return list(reversed(records))
        before = page["next"]["before"]


def tamper(records, control):
    """Inserts a fault into a history."""
    places = [i for i, r in enumerate(records)
              if r["source"]["kind"] != "timer" and r["kind"] != "refused" and i > 0]
    if control == "lost":
        del records[places[0]]
    elif control == "doubled":
        place = places[0]
        records.insert(place, dict(records[place]))
    else:
        place = next(i for i, r in enumerate(records) if r["source"]["kind"] == "timer")
        if control == "early":
            # A kill can delay a timer by seconds, so the new time is counted from the entry.
            records[place]["atMs"] = entered_at(records, place) + HELP_MS - 1
        else:
            records[place]["from"]["state"] = "introduction"


def entered_at(records, place):
    """When the state was entered that the record at a place leaves."""
    return next(r["atMs"] for r in reversed(records[:place])
                if r["kind"] in ("enter", "open", "goto") and r["to"]["state"] == "help")


def check(worker, records, counts, isControl=False):
    records = [r for r in records if r["kind"] != "refused"]
    seqs = [r["seq"] for r in records]
    own = [r for r in records if r["source"]["kind"] != "timer"]
    known = set(seqs)
    for _, seq in worker.acknowledged.values():
        counts["acknowledged"] += 1
        if seq not in known:
            counts["lost"] += 1
    counts["doubled"] += max(0, len(own) - len(worker.acknowledged)) + len(seqs) - len(known)
    acknowledged = {seq for _, seq in worker.acknowledged.values()}
    for record in own:
        if record["seq"] not in acknowledged and not isControl:
            print("not acknowledged:", json.dumps(record), worker.refusals, file=sys.stderr)
    entered = None
    for record in records:
        if record["source"]["kind"] == "timer":
            counts["timers"] += 1
            if entered is None or record["from"]["state"] != "help":
                counts["left"] += 1
            else:
                late = record["atMs"] - entered - HELP_MS
                counts["early"] += late < 0
                counts["latestMs"] = max(counts["latestMs"], late)
        to = record.get("to")
        if record["kind"] in ("enter", "open", "goto"):
            entered = record["atMs"] if to and to["state"] == "help" else None


# A cut between nodes, and connections between nodes that are stalled: in which directions.
PARTITIONS = ["partition", "both", "there", "back"]
STALLED = {"both": (0, 1), "there": (0,), "back": (1,)}

NOTHING = {"acknowledged": 0, "lost": 0, "doubled": 0, "timers": 0, "early": 0, "left": 0,
           "latestMs": 0}


def controls(worker, records):
    """The count of each fault after it has been inserted into a history."""
    found = {}
    for fault in ("lost", "doubled", "early", "left"):
        tampered = copy.deepcopy(records)
        tamper(tampered, fault)
        counts = dict(NOTHING)
        check(worker, tampered, counts, isControl=True)
        found[fault] = counts[fault]
    return found


async def main():
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
    options = parser.parse_args()
    random.seed(options.seed)
    with open(f"{options.folder}/secret", "w") as file:
        file.write("0123456789abcdef0123456789abcdef\n")
    os.chmod(f"{options.folder}/secret", 0o600)
    nodes = [Node(name, options) for name in "abc"]
    for node in nodes:
        if options.cuts + options.stalls > 0:
            await node.connect_through_proxy()
        node.start()
    if options.upgrades + options.partitions > 0:
        for node in nodes:
            await node.wait_for_shares()
    if options.partitions > 0:
        for node in nodes:
            await node.put_proxy_before()
        # Until each node has read the addresses.
        await asyncio.sleep(2)
        watcher = Watcher(nodes[0])
        await watcher.begin()
    over = False
    workers = [Worker(f"s{number}", nodes) for number in range(options.sessions)]
    tasks = [asyncio.create_task(worker.play(lambda: over)) for worker in workers]
    await asyncio.sleep(3)
    faults = (["kill"] * options.kills + ["stop"] * options.stops + ["cut"] * options.cuts
              + ["stall"] * options.stalls + ["restart"] * options.restarts
              + ["upgrade"] * options.upgrades)
    faults += [PARTITIONS[number % len(PARTITIONS)] for number in range(options.partitions)]
    random.shuffle(faults)
    for fault in faults:
        node = random.choice(nodes)
        if fault == "kill":
            node.kill()
            await asyncio.sleep(random.uniform(0.2, 5))
            node.start()
        elif fault == "stop":
            node.signal(signal.SIGSTOP)
            await asyncio.sleep(5)
            node.signal(signal.SIGCONT)
        elif fault == "cut":
            await node.proxy.cut(random.uniform(0.1, 5))
        elif fault == "upgrade":
            for node in nodes:
                await node.upgrade()
        elif fault == "partition":
            await node.way.cut(random.uniform(1, 6))
        elif fault in STALLED:
            await node.way.stall(random.uniform(1, 6), STALLED[fault])
        elif fault == "stall":
            await node.proxy.stall(random.uniform(1, 6))
        else:
            restart = await asyncio.create_subprocess_shell(
                options.restart, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            await restart.wait()
        await asyncio.sleep(random.uniform(1, 3))
    if not faults:
        await asyncio.sleep(4)
    over = True
    await asyncio.gather(*tasks)
    counts = dict(NOTHING)
    histories = {}
    for worker in workers:
        histories[worker.name] = records = await history(worker.name, nodes)
        check(worker, records, counts)
        if worker is workers[0]:
            counts["controls"] = controls(worker, records)
    if options.partitions > 0:
        watcher.end(counts, histories)
    waits = sorted(wait for worker in workers for wait in worker.waits)
    counts["p99Ms"] = round(waits[int(len(waits) * 0.99)] * 1000)
    counts["longestMs"] = round(waits[-1] * 1000)
    counts["seed"] = options.seed
    for node in nodes:
        node.process.terminate()
    for node in nodes:
        counts["badEnds"] = counts.get("badEnds", 0) + (node.process.wait() != 0)
    print(json.dumps(counts))


asyncio.run(main())
