#!/usr/bin/env python3
"""Carries out the effects of the flow `startup`, in place of a real app, and responds with events.

    gamed --flow startup &
    Examples/startup.py /run/gamed/gamed.sock

It needs only Python: the daemon speaks JSON-RPC 2.0, with one message in each line. The program reads all changes since the
session was opened, so that it also responds to effects that were requested before its own start. Each response has an `id` that
is made from the number of the change, so that a repeated response changes nothing. Each response also has the `entry` of its
effect, so that a late response is refused as stale. This holds even if the session has entered the effect's state again.
"""

import json
import os
import socket
import sys


def load_session(change):
    """Finds out whether a user is logged in. In this example, no user is."""
    return "hydrateSucceeded", {"hasSession": False}


def authenticate(change):
    """Authenticates the user. In this example, it is always the same user."""
    user = os.environ.get("LOGIN", "ann")
    if not user:
        return "loginFailed", {"message": "nobody there"}
    return "loginSucceeded", {"userID": user}


def validate_token(change):
    """Finds out to which user the token belongs. In this example, every token is valid."""
    return "tokenAccepted", {"userID": os.environ.get("LOGIN", "ann")}


def synchronize(change):
    """Sends data that were not sent yet. Only a session in the state `syncing` waits for the response."""
    return ("syncAcknowledged", {}) if change["to"]["state"] == "syncing" else None


# For each effect, the function that carries it out and returns the response: an event with arguments, or None.
EFFECT_HANDLERS = {
    "loadSession": load_session,
    "authenticate": authenticate,
    "validateToken": validate_token,
    "synchronize": synchronize,
}


def main(path, session="main"):
    daemon = socket.socket(socket.AF_UNIX)
    try:
        daemon.connect(path)
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}; give the path of gamed's socket")
    lines = daemon.makefile("rw", encoding="utf-8", newline="\n")

    def send_request(method, **params):
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        lines.write(json.dumps(message) + "\n")
        lines.flush()

    send_request("watch", session=session, since=0)
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
            response = EFFECT_HANDLERS.get(effect["name"], lambda change: None)(change)
            if response is None:
                continue
            event, args = response
            print(effect["name"], "→", event, flush=True)
            send_request(
                "send", session=session, event=event, args=args, id=f"answer-{change['seq']}",
                entry=effect["entry"])


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "/run/gamed/gamed.sock")
    except KeyboardInterrupt:
        pass
