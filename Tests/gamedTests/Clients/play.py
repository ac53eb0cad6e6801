"""Plays the flow `game` with jsonrpcclient over a UNIX socket. Prints `played`, or the failure."""

import json
import socket
import sys

from jsonrpcclient import Error, Ok, notification, parse, request


def main() -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        lines = connection.makefile("rw", encoding="utf-8")

        def exchange(message):
            lines.write(json.dumps(message) + "\n")
            lines.flush()
            return parse(json.loads(lines.readline()))

        def call(method, **params):
            return exchange(request(method, params=params))

        pong = call("ping")
        assert isinstance(pong, Ok) and pong.result == {"pong": True}, pong
        hello = call("hello")
        assert isinstance(hello, Ok) and hello.result["protocol"] == 1, hello

        refused = call("send", event="pause")
        assert isinstance(refused, Error) and refused.code == 1, refused
        assert refused.message == "noTransition" and refused.data["state"] == "introduction", refused

        for event, args in [
            ("startPlaying", {}),
            ("chooseEpisode", {"episode": 2}),
            ("chooseLevel", {"level": 3.0}),
        ]:
            change = call("send", event=event, args=args)
            assert isinstance(change, Ok), change

        # A notification has no reply, so the next line is the reply to the next request.
        lines.write(json.dumps(notification("send", params={"event": "pause"})) + "\n")
        status = call("status")
        assert status.result["state"] == "paused", status

        batch = exchange(
            [
                request("send", params={"event": "resume"}),
                request("advance", params={"by": "90s"}),
                request("send", params={"event": "completeLevel", "args": {"score": 10}}),
            ]
        )
        resumed, advanced, late_event = batch
        assert isinstance(resumed, Ok), resumed
        assert advanced.result["fired"][-1]["fires"] == "timeUp", advanced
        assert isinstance(late_event, Error) and late_event.code == 1, late_event
        assert late_event.data["last"]["event"] == "timeUp", late_event

    print("played")


main()
