#!/usr/bin/env python3
"""A buzzer: buzzer.py SOCKET PLAYER presses once, and prints the state after each change."""
import json
import socket
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
lines = connection.makefile("rw", encoding="utf-8", newline="\n")
press = {"event": "buzz", "args": {"player": sys.argv[2]}}
for method, params in [("send", press), ("watch", {})]:
    lines.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}) + "\n")
lines.flush()
for line in lines:
    message = json.loads(line)
    if "error" in message:
        print(message["error"]["message"], flush=True)
    elif message.get("id") == "send" or message.get("method") == "change":
        change = message.get("result") or message["params"]
        print(change["to"]["state"], flush=True)
