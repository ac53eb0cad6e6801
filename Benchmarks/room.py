#!/usr/bin/env python3
"""Measures the inputs and outputs of a room: `room.py GAMED [SECONDS]`. Needs mosquitto.

It measures three things:
- the daemon's CPU time for 10 000 events a second: over MQTT, and over the UNIX socket with 32 requests in flight;
- the daemon's CPU time for an event over the UNIX socket: without `on` lines (outputs) in the configuration, and with `on`
  lines for other sessions;
- the time from the answer to an event to the output that the event causes. The daemon sends the answer when the event is
  durable.

It prints ratios and delays with their upper bounds.
"""
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
import tty

from shared.figures import compare_with_bound, median, percentile
from shared.mqtt import Mosquitto, connect_mqtt, publish as mqtt_publish, send_at_rate
from shared.processes import cpu_seconds, free_port

gamed = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
RATE = 10_000
SESSIONS = [f"s{number}" for number in range(10)]


class Daemon:
    """A daemon with a UNIX socket and the configuration `config_lines`."""

    def __init__(self, folder, config_lines, *options):
        self.path = os.path.join(folder, "gamed.sock")
        config = os.path.join(folder, "gamed.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(config_lines)
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
                # The socket's file exists before the daemon listens.
                time.sleep(0.01)

    def end(self):
        self.process.terminate()
        self.process.wait()


def ask(client, line):
    """Sends a line of the text dialect, and returns the answer."""
    client.sendall(line.encode() + b"\n")
    answer = b""
    while not answer.endswith(b"\n"):
        answer += client.recv(65_536)
    return answer.decode()


def session_and_event(index):
    """The session and the name of the event with this index. Each session gets two events alternately."""
    return SESSIONS[index % 10], ("displayHelp", "dismissHelp")[index // 10 % 2]


def measure_events(daemon, send):
    """The CPU time of an accepted event in microseconds, and the numbers of events that were sent and accepted."""
    before = cpu_seconds(daemon.process.pid)
    start = change_count(daemon)
    sent = send_at_rate(send, RATE, seconds)
    time.sleep(0.5)
    taken = change_count(daemon) - start
    return (cpu_seconds(daemon.process.pid) - before) / taken * 1e6, sent, taken


def change_count(daemon):
    """The position of the newest change, which counts the changes of all sessions."""
    with daemon.client() as client:
        answer = ask(client, "watch @* topics=refusals")
        return int(answer.rsplit('"pos":', 1)[1].split(",")[0])


def measure_socket(daemon):
    """What `measure_events` returns for the UNIX socket, with 32 requests in flight."""
    client = daemon.client()
    answers = 0

    def send(start, count):
        nonlocal answers
        for index in range(start, start + count):
            session, event = session_and_event(index)
            client.sendall(f"send @{session} {event}\n".encode())
            while index - answers >= 32:
                answers += client.recv(1 << 20).count(b"\n")

    return measure_events(daemon, send)


SESSION_LINES = "".join(f"session {session} flow=game\n" for session in SESSIONS)


def measure_lines(folder, port):
    """Prints the CPU time of an event without configured `mqtt` and `on` lines, and with `on` lines for other sessions."""
    other_lines = f"mqtt hall mqtt://127.0.0.1:{port}\n" + "".join(
        f"on enter=help session=other-{number} mqtt=hall topic=t\n" for number in range(10)
    )
    costs = {"without": [], "with": []}
    # Both configurations are measured alternately, because the load by other programs changes.
    for _ in range(3):
        for on_lines, config_lines in (("without", SESSION_LINES), ("with", SESSION_LINES + other_lines)):
            daemon = Daemon(folder, config_lines)
            costs[on_lines].append(measure_socket(daemon)[0])
            daemon.end()
    cost_without, cost_with = min(costs["without"]), min(costs["with"])
    print(f"an event without `on` lines: {cost_without:.1f} us of CPU; with ten `on` lines for other sessions: {cost_with:.1f} us")


def measure_load(folder, port):
    """Prints the CPU time of an event over MQTT and over the UNIX socket, and their ratio."""
    config_lines = f"mqtt hall mqtt://127.0.0.1:{port}\n" + SESSION_LINES
    config_lines += "".join(
        f"map mqtt=hall topic={session}/{event} event={event} session={session}\n"
        for session in SESSIONS
        for event in ("displayHelp", "dismissHelp")
    )
    daemon = Daemon(folder, config_lines)
    time.sleep(1)
    broker = connect_mqtt(port)

    def publish(start, count):
        data = b""
        for index in range(start, start + count):
            session, event = session_and_event(index)
            data += mqtt_publish(f"{session}/{event}", b"x")
        broker.sendall(data)

    over_mqtt, sent, taken = measure_events(daemon, publish)
    print(f"MQTT: {sent / seconds:.0f} messages/s, {taken} changes, {over_mqtt:.1f} us of CPU each")
    over_unix, sent, taken = measure_socket(daemon)
    print(f"UNIX: {sent / seconds:.0f} lines/s, {taken} changes, {over_unix:.1f} us of CPU each")
    ratio = over_mqtt / over_unix
    print(f"MQTT needs {ratio:.2f} times the CPU of the UNIX socket {compare_with_bound(ratio, 1.5)}")
    daemon.end()


def measure_latency(folder, port):
    """Prints how long after the answer to an event its outputs over MQTT, OSC and a serial line arrive."""
    osc_port = free_port(socket.SOCK_DGRAM)
    osc = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    osc.bind(("127.0.0.1", osc_port))
    device_end, daemon_end = os.openpty()
    tty.setraw(daemon_end)
    os.symlink(os.ttyname(daemon_end), os.path.join(folder, "tty"))
    config_lines = f"""
mqtt hall mqtt://127.0.0.1:{port}
osc stage listen=127.0.0.1:0
serial door {folder}/tty
on enter=help mqtt=hall topic=out payload=x
on enter=help osc=stage to=127.0.0.1:{osc_port} address=/x
on enter=help serial=door line=x
"""
    daemon = Daemon(folder, config_lines, "--flow", "game", "--state-dir", os.path.join(folder, "state"))
    broker = connect_mqtt(port, "out")
    time.sleep(1)
    client = daemon.client()
    targets = {broker.fileno(): "MQTT", osc.fileno(): "OSC", device_end: "serial"}
    delays = {transport: [] for transport in targets.values()}
    for _ in range(300):
        client.sendall(b"send displayHelp\n")
        waiting, answer_time, output_times = set(targets), None, {}
        while waiting or answer_time is None:
            ready, _, _ = select.select([*waiting, *([client] if answer_time is None else [])], [], [], 5)
            if not ready:
                sys.exit("room: an answer or an output did not arrive within 5 s")
            now = time.monotonic()
            for source in ready:
                if source is client:
                    client.recv(65_536)
                    answer_time = now
                else:
                    os.read(source, 65_536)
                    waiting.discard(source)
                    output_times[targets[source]] = now
        for transport, output_time in output_times.items():
            delays[transport].append((output_time - answer_time) * 1000)
        ask(client, "send dismissHelp")
    for transport, times in delays.items():
        middle, p99 = median(times), percentile(times, 99)
        print(f"{transport}: {middle:.2f} ms after the answer in the median {compare_with_bound(middle, 1.0)}, {p99:.2f} ms in 99 %")
    daemon.end()


with tempfile.TemporaryDirectory() as folder, Mosquitto() as mosquitto:
    measure_load(folder, mosquitto.port)
    measure_lines(folder, mosquitto.port)
    measure_latency(folder, mosquitto.port)
