#!/usr/bin/env python3
"""Simulates a prop that uses MQTT: `prop.py PORT NAME`. PORT is the port of the broker.

Each line of the input is an action of the players. The prop `keypad` publishes the line as a code; any other prop publishes
that it is solved. The script prints the messages that the prop receives.
"""
import json
import subprocess
import sys
import threading

port, name = sys.argv[1], sys.argv[2]
broker_options = ["-h", "127.0.0.1", "-p", port, "-q", "1"]


def publish(topic, payload):
    subprocess.run(["mosquitto_pub", *broker_options, "-t", topic, "-m", payload], check=True)


def listen():
    topics = ["-t", f"room/{name}/set", "-t", "gamed/vault/state"]
    with subprocess.Popen(
        ["mosquitto_sub", *broker_options, *topics, "-v"], stdout=subprocess.PIPE, text=True
    ) as subscriber:
        for line in subscriber.stdout:
            print(f"{name}: {line.strip()}", flush=True)
            # While the room is reset, each prop must report that it is ready.
            if line.strip() == "gamed/vault/state reset" and name != "keypad":
                publish(f"room/{name}/event", json.dumps({"event": "ready"}))


threading.Thread(target=listen, daemon=True).start()
for line in sys.stdin:
    if name == "keypad":
        publish("room/keypad/code", line.strip())
    else:
        publish(f"room/{name}/event", json.dumps({"event": "solved"}))
threading.Event().wait()
