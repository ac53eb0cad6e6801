"""Reads the stream of events, which schemathesis cannot read because it never ends."""

import contextlib
import json
import os

import requests

from openapi_checks import CONFORMANCE, usual_headers
from openapi_description import check
from openapi_tour import LEVEL, Tour

NAME = f"openapi-stream-{os.getpid()}"
PATH = "/v1/events"


class Stream:
    """A connection to `/v1/events`."""

    def __init__(self, description, last=None, **query):
        self.description = description
        headers = {**description.bearer, **({"Last-Event-ID": last} if last else {})}
        self.response = requests.get(
            description.base + PATH, query, headers=headers, stream=True, timeout=60
        )
        described = description.document["paths"][PATH]["get"]["responses"]["200"]
        self.kinds = described["x-events"]
        self.lines = self.response.iter_lines(chunk_size=1, decode_unicode=True)

    def next(self, kind):
        """Reads the next event, checks its kind and its schema, and returns its id and its data."""
        fields = {}
        for line in self.lines:
            if line.startswith(":"):
                continue
            if not line and "event" in fields:
                break
            name, _, value = line.partition(": ")
            check(name not in fields, f"{name} is given twice in an event")
            if name in ("id", "event", "data"):
                fields[name] = value
        check(fields.get("event") == kind, f"expected the event {kind}, got {fields}")
        data = json.loads(fields["data"])
        self.description.fits(data, self.kinds[kind], f"the event {kind}")
        return fields.get("id"), data

    def close(self):
        self.response.close()


def begin(description, **query):
    """Opens a stream, and checks the head of its response. The body never ends."""
    stream = Stream(description, **query)
    description.asked += 1
    head = stream.response
    check(head.status_code == 200, f"{PATH} {query}: {head.status_code}")
    type = head.headers["Content-Type"]
    check(type == "text/event-stream; charset=utf-8", f"{PATH} is {type}")
    for name in ("X-Content-Type-Options", "Cache-Control"):
        check(name in head.headers, f"{PATH} has no {name}")
    return contextlib.closing(stream)


def follow(description, tour):
    """The stream has all changes in order. A new stream with the last id has the missed changes."""
    instance = tour.result("hello", {})["instance"]
    call = {"session": NAME}
    tour.result("open", {**call, "flow": "game"})
    with begin(description, session=NAME, topics="changes,refusals") as stream:
        first, snapshot = stream.next("snapshot")
        check(snapshot["instance"] == instance, f"the snapshot is of {snapshot['instance']}")
        check(first == f"{instance}:{snapshot['pos']}", f"the snapshot's id is {first}")
        check([one["session"] for one in snapshot["sessions"]] == [NAME], f"it shows {snapshot}")
        tour.result("send", {**call, "event": "startPlaying"})
        id, change = stream.next("change")
        check(id == f"{instance}:{change['pos']}", f"the change {change['pos']} has the id {id}")
        tour.call("send", {**call, "event": "startPlaying"})
        refused = stream.next("refused")[1]
        check(refused["error"]["message"] == "noTransition", f"it was refused with {refused}")
    with begin(description, session=NAME, last=first) as stream:
        check(stream.next("snapshot")[0] is None, "a snapshot before what was missed has an id")
        check(stream.next("change") == (id, change), "what was missed is another change")
    with begin(description, session=NAME, since=f"{instance}:{2**52}") as stream:
        stream.next("snapshot")
        stream.next("gap")
    with begin(description, session="*", since=f"{instance}:{2**52}") as stream:
        stream.next("snapshot")
        check(stream.next("gap")[1]["session"] == "*", "the gap of all sessions is of one")


def beats(description, tour):
    """The stream has beats of a pendulum, and the notification that the virtual clock was advanced."""
    call = {"session": NAME}
    tour.result("goto", {**call, "state": "playingLevel", "data": LEVEL})
    with begin(description, session=NAME, topics="beats") as stream:
        virtual = stream.next("snapshot")[1]["clock"] == "virtual"
        if virtual:
            tour.result("advance", {"session": None, "by": "1s"})
        stream.next("beat")
        if virtual:
            stream.next("clock")


def refusals(description, tour):
    """A refused stream has an ordinary response."""
    for query, status in (
        ("topics=nothing", 400),
        ("topic=changes", 400),
        ("session=no%20name", 400),
        ("session=nowhere", 404),
    ):
        url = f"{description.base}{PATH}?{query}"
        response = requests.get(url, headers=description.bearer, timeout=60)
        description.holds([*CONFORMANCE, usual_headers], PATH, "GET", response)
        tour.status(response, status, query)


def run(description):
    tour = Tour(description)
    refusals(description, tour)
    follow(description, tour)
    beats(description, tour)
    tour.result("close", {"session": NAME})
