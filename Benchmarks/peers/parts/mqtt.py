"""10 000 events a second over MQTT, beside mosquitto's own subscriber, which only prints them.

gamed: subscribed to 20 topics; each message is an event that changes the state of one of ten sessions.
mosquitto_sub: subscribed to the same topics, with its output to /dev/null.
Both receive the same messages of one broker, with QoS 0.
"""
import subprocess
import time

from shared.mqtt import Mosquitto, connect_mqtt, publish, send_at_rate
from shared.processes import LAST_CORE, cpu_nanoseconds, pinned

from ..rows import Row, require
from ..servers.gamed import Gamed

TITLE = "10 000 events a second over MQTT (mosquitto_sub prints them), CPU of the receiver"
ROWS = [
    Row("an event", "us", "gamed", "mosquitto_sub", peer="mosquitto_sub"),
    Row("events that changed a session, of those sent", "%", "taken"),
]
RATE = 10_000
TOPICS = [(f"s{number}", event) for event in ("displayHelp", "dismissHelp") for number in range(10)]


def configuration(port):
    lines = [f"mqtt hall mqtt://127.0.0.1:{port}", "limit presses=0"]
    lines += [f"session s{number} flow=game" for number in range(10)]
    lines += [f"map mqtt=hall topic={session}/{event} event={event} session={session}" for session, event in TOPICS]
    return "\n".join(lines) + "\n"


def change_count(gamed):
    """The position of the newest change, which counts the changes of all sessions."""
    return gamed.ask("watch @* topics=refusals")["pos"]


def measure(bench):
    require("mosquitto", "mosquitto", Mosquitto.PROGRAM)
    bench.version("mosquitto", ["mosquitto_sub", "--help"])
    program = require("mosquitto_sub", "mosquitto-clients")
    with Mosquitto() as mosquitto, Gamed(bench, config=configuration(mosquitto.port)) as gamed:
        subscriber = subprocess.Popen(pinned([program, "-p", str(mosquitto.port), "-t", "#"], LAST_CORE), stdout=subprocess.DEVNULL)
        publisher = connect_mqtt(mosquitto.port)
        # Until both have subscribed.
        time.sleep(1)

        def send(first, count):
            publisher.sendall(b"".join(publish("/".join(TOPICS[index % 20]), b"x") for index in range(first, first + count)))

        try:
            while True:
                changes, ours, theirs = change_count(gamed), cpu_nanoseconds(gamed.pid), cpu_nanoseconds(subscriber.pid)
                # A whole number of turns, so that the sessions end where they began.
                sent = send_at_rate(send, RATE, bench.count(3, 0.2))
                send(sent, -sent % 20)
                sent += -sent % 20
                time.sleep(0.5)
                taken = change_count(gamed) - changes
                yield {
                    "gamed": (cpu_nanoseconds(gamed.pid) - ours) / taken / 1000,
                    "mosquitto_sub": (cpu_nanoseconds(subscriber.pid) - theirs) / sent / 1000,
                    "taken": 100 * taken / sent,
                }
        finally:
            publisher.close()
            subscriber.terminate()
            subscriber.wait()
