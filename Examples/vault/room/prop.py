#!/usr/bin/env python3
"""A simulated prop with MQTT: `prop.py PORT NAME`. It says that it is ready, and, when a line is typed, what happened.

The keypad sends each line as a code; any other prop is solved with an empty line. What it is sent is printed.
"""
import json
import subprocess
import sys
import threading

port, name = sys.argv[1], sys.argv[2]
broker = ["-h", "127.0.0.1", "-p", port, "-q", "1"]


def publish(topic, payload):
    subprocess.run(["mosquitto_pub", *broker, "-t", topic, "-m", payload], check=True)


def listen():
    topics = ["-t", f"room/{name}/set", "-t", "gamed/vault/state"]
    with subprocess.Popen(
        ["mosquitto_sub", *broker, *topics, "-v"], stdout=subprocess.PIPE, text=True
    ) as sub:
        for line in sub.stdout:
            print(f"{name}: {line.strip()}", flush=True)
            # A reset room is checked again.
            if line.strip() == "gamed/vault/state reset" and name != "keypad":
                publish(f"room/{name}/event", json.dumps({"event": "ready"}))


threading.Thread(target=listen, daemon=True).start()
for line in sys.stdin:
    if name == "keypad":
        publish("room/keypad/code", line.strip())
    else:
        publish(f"room/{name}/event", json.dumps({"event": "solved"}))
threading.Event().wait()
