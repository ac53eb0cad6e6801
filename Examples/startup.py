#!/usr/bin/env python3
"""Carries out the effects of the flow `startup`, in place of a real app, and responds with events.

    gamed --flow startup &
    Examples/startup.py /run/gamed/gamed.sock

It needs only Python: the daemon speaks JSON-RPC 2.0, one message a line. The program reads all changes of the session
from its opening, so that it also responds to earlier effects. Each response has an id made from the change with the
effect, so that a repeated response has no effect.
"""

import json
import os
import socket
import sys


def load_session(change):
    """Whether a user is logged in. In this example, none is."""
    return "hydrateSucceeded", {"hasSession": False}


def authenticate(change):
    """Authenticates the user. In this example, it is always the same user."""
    user = os.environ.get("LOGIN", "ann")
    if not user:
        return "loginFailed", {"message": "nobody there"}
    return "loginSucceeded", {"userID": user}


WORK = {"loadSession": load_session, "authenticate": authenticate}


def main(path, session="main"):
    daemon = socket.socket(socket.AF_UNIX)
    try:
        daemon.connect(path)
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}; give the path of gamed's socket")
    lines = daemon.makefile("rw", encoding="utf-8", newline="\n")

    def ask(method, **params):
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        lines.write(json.dumps(message) + "\n")
        lines.flush()

    ask("watch", session=session, since=0)
    for line in lines:
        message = json.loads(line)
        if "error" in message:
            # The response came too late, or the flow no longer waits for it.
            print("refused:", message["error"]["message"], flush=True)
        if message.get("id") == "watch" and "result" in message:
            flow = message["result"]["sessions"][0]["flow"]
            if flow != "startup":
                sys.exit(f"session {session} has the flow {flow}: start gamed with --flow startup")
            print(f"carrying out the effects of session {session}", flush=True)
        if message.get("method") != "change":
            continue
        change = message["params"]
        for effect in change["effects"]:
            if effect["name"] not in WORK:
                continue
            event, args = WORK[effect["name"]](change)
            print(effect["name"], "→", event, flush=True)
            ask("send", session=session, event=event, args=args, id=f"answer-{change['seq']}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "/run/gamed/gamed.sock")
    except KeyboardInterrupt:
        pass
