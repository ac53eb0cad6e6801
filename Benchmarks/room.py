#!/usr/bin/env python3
"""Measures the room: `room.py GAMED [SECONDS]`. Needs mosquitto.

The CPU time of the server for 10 000 events a second, over MQTT and over the UNIX socket with 32 in flight; the CPU time of
an event over the socket with lines for other sessions, and without any; and the time from the answer to an event, which
comes when it is durable, to its output on the wire. Each figure is printed with its bound.
"""
import os
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import tty

gamed = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
RATE = 10_000
SESSIONS = [f"s{number}" for number in range(10)]


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Daemon:
    def __init__(self, folder, lines, *options):
        self.path = os.path.join(folder, "gamed.sock")
        config = os.path.join(folder, "gamed.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(lines)
        command = [gamed, "--socket", self.path, "--config", config, "--limit", "presses=0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path):
            time.sleep(0.01)

    def client(self):
        client = socket.socket(socket.AF_UNIX)
        while True:
            try:
                client.connect(self.path)
                return client
            except ConnectionRefusedError:
                # The socket has its name before the daemon listens.
                time.sleep(0.01)

    def end(self):
        self.process.terminate()
        self.process.wait()


def ask(client, line):
    client.sendall(line.encode() + b"\n")
    answer = b""
    while not answer.endswith(b"\n"):
        answer += client.recv(65_536)
    return answer.decode()


def text(value):
    return len(value).to_bytes(2, "big") + value.encode()


def packet(first, body):
    length, head = len(body), b""
    while True:
        head += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
        if length == 0:
            return bytes([first]) + head + body


def mqtt(port, *filters):
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(packet(0x10, text("MQTT") + b"\x04\x02\x00\x00" + text(f"bench{time.time_ns()}")))
    client.recv(4)
    for filter in filters:
        client.sendall(packet(0x82, b"\x00\x01" + text(filter) + b"\x00"))
        client.recv(5)
    return client


def pace(send):
    """Calls send(count) so that RATE a second are sent, and returns how many were."""
    sent, begin = 0, time.monotonic()
    while (elapsed := time.monotonic() - begin) < seconds:
        due = int(elapsed * RATE) - sent
        if due > 0:
            send(sent, due)
            sent += due
        time.sleep(0.002)
    return sent


def name(index):
    """The session and the event of the event with this number: each session alternates between two."""
    return SESSIONS[index % 10], ("displayHelp", "dismissHelp")[index // 10 % 2]


def measure(daemon, send):
    before = cpu(daemon.process.pid)
    start = changes(daemon)
    sent = pace(send)
    time.sleep(0.5)
    taken = changes(daemon) - start
    return (cpu(daemon.process.pid) - before) / taken * 1e6, sent, taken


def changes(daemon):
    with daemon.client() as client:
        answer = ask(client, "watch @* topics=refusals")
        return int(answer.rsplit('"pos":', 1)[1].split(",")[0])


def verdict(value, bound):
    return f"(bound {bound}: {'holds' if value <= bound else 'DOES NOT HOLD'})"


def over_socket(daemon):
    """The CPU time of an event over the UNIX socket with 32 in flight, in microseconds, and what was sent and taken."""
    client = daemon.client()
    answers = 0

    def send(start, count):
        nonlocal answers
        for index in range(start, start + count):
            session, event = name(index)
            client.sendall(f"send @{session} {event}\n".encode())
            while index - answers >= 32:
                answers += client.recv(1 << 20).count(b"\n")

    return measure(daemon, send)


SESSION_LINES = "".join(f"session {session} flow=game\n" for session in SESSIONS)


def lines(folder, port):
    """What an event costs without any line of the room, and with lines that are for other sessions."""
    other = f"mqtt hall mqtt://127.0.0.1:{port}\n" + "".join(
        f"on enter=help session=other-{number} mqtt=hall topic=t\n" for number in range(10)
    )
    costs = {"without": [], "with": []}
    # Alternately, because other programs use the machine as well.
    for _ in range(3):
        for kind, text in (("without", SESSION_LINES), ("with", SESSION_LINES + other)):
            daemon = Daemon(folder, text)
            costs[kind].append(over_socket(daemon)[0])
            daemon.end()
    without, with_lines = min(costs["without"]), min(costs["with"])
    print(f"an event without a line of the room: {without:.1f} us of CPU; with ten for other sessions: {with_lines:.1f} us")


def load(folder, port):
    lines = f"mqtt hall mqtt://127.0.0.1:{port}\n" + SESSION_LINES
    lines += "".join(
        f"map mqtt=hall topic={session}/{event} event={event} session={session}\n"
        for session in SESSIONS
        for event in ("displayHelp", "dismissHelp")
    )
    daemon = Daemon(folder, lines)
    time.sleep(1)
    broker = mqtt(port)

    def publish(start, count):
        data = b""
        for index in range(start, start + count):
            session, event = name(index)
            data += packet(0x30, text(f"{session}/{event}") + b"x")
        broker.sendall(data)

    over_mqtt, sent, taken = measure(daemon, publish)
    print(f"MQTT: {sent / seconds:.0f} messages/s, {taken} changes, {over_mqtt:.1f} us of CPU each")
    over_unix, sent, taken = over_socket(daemon)
    print(f"UNIX: {sent / seconds:.0f} lines/s, {taken} changes, {over_unix:.1f} us of CPU each")
    ratio = over_mqtt / over_unix
    print(f"MQTT needs {ratio:.2f} times the CPU of the UNIX socket {verdict(ratio, 1.5)}")
    daemon.end()


def latency(folder, port, state):
    osc_port = free_port(socket.SOCK_DGRAM)
    osc = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    osc.bind(("127.0.0.1", osc_port))
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    os.symlink(os.ttyname(theirs), os.path.join(folder, "tty"))
    lines = f"""
mqtt hall mqtt://127.0.0.1:{port}
osc stage listen=127.0.0.1:0
serial door {folder}/tty
on enter=help mqtt=hall topic=out payload=x
on enter=help osc=stage to=127.0.0.1:{osc_port} address=/x
on enter=help serial=door line=x
"""
    daemon = Daemon(folder, lines, "--flow", "game", "--state-dir", os.path.join(folder, "state" + state))
    broker = mqtt(port, "out")
    time.sleep(1)
    client = daemon.client()
    targets = {broker.fileno(): "MQTT", osc.fileno(): "OSC", ours: "serial"}
    delays = {kind: [] for kind in targets.values()}
    for _ in range(300):
        client.sendall(b"send displayHelp\n")
        waiting, answered, seen = set(targets), None, {}
        while waiting or answered is None:
            ready, _, _ = select.select([*waiting, *([client] if answered is None else [])], [], [], 5)
            now = time.monotonic()
            for one in ready:
                if one is client:
                    client.recv(65_536)
                    answered = now
                else:
                    os.read(one, 65_536)
                    waiting.discard(one)
                    seen[targets[one]] = now
        for kind, at in seen.items():
            delays[kind].append((at - answered) * 1000)
        ask(client, "send dismissHelp")
    for kind, times in delays.items():
        middle = statistics.median(times)
        rare = sorted(times)[-3]
        print(f"{kind}: {middle:.2f} ms after the answer in the median {verdict(middle, 1.0)}, {rare:.2f} ms in 99 %")
    daemon.end()


with tempfile.TemporaryDirectory() as folder:
    port = free_port()
    mosquitto = subprocess.Popen(["/usr/sbin/mosquitto", "-p", str(port)], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    try:
        load(folder, port)
        lines(folder, port)
        latency(folder, port, "1")
    finally:
        mosquitto.terminate()
