#!/usr/bin/env python3
"""Does the outside work of the flow `startup`, in place of a real app: the flow asks with an effect, and
this answers with an event.

    gamed --flow startup &
    Examples/startup.py /run/gamed/gamed.sock

It needs nothing but Python: the daemon speaks JSON-RPC 2.0, a message a line. All of the session's changes
are read, also those before it came, so what was asked for meanwhile is answered then. Each answer has an
id made from the change that asked for it: sent twice, it counts once.
"""

import json
import os
import socket
import sys


def load_session(change):
    """Is somebody logged in already? Here: nobody is."""
    return "hydrateSucceeded", {"hasSession": False}


def authenticate(change):
    """Asks the user who it is. Here: it is always the same one."""
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
        sys.exit(f"{path}: {error.strerror}; give the socket that gamed listens at")
    lines = daemon.makefile("rw", encoding="utf-8", newline="\n")

    def ask(method, **params):
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        lines.write(json.dumps(message) + "\n")
        lines.flush()

    ask("watch", session=session, since=0)
    for line in lines:
        message = json.loads(line)
        if "error" in message:
            # Too late, or not what the flow waits for any more: it knows best.
            print("refused:", message["error"]["message"], flush=True)
        if message.get("id") == "watch" and "result" in message:
            flow = message["result"]["sessions"][0]["flow"]
            if flow != "startup":
                sys.exit(f"session {session} plays {flow}: start gamed with --flow startup")
            print(f"doing the outside work of session {session}", flush=True)
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
