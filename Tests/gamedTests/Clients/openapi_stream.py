"""Reads the stream of events, which schemathesis cannot read because it never ends."""

import contextlib
import json
import os

import requests

from openapi_checks import CONFORMANCE, usual_headers
from openapi_description import check
from openapi_tour import LEVEL, CheckedClient

NAME = f"openapi-stream-{os.getpid()}"
PATH = "/v1/events"


class Stream:
    """A connection to `/v1/events`. With `last_event_id` it gets the changes after that event."""

    def __init__(self, description, last_event_id=None, **query):
        self.description = description
        headers = {**description.bearer, **({"Last-Event-ID": last_event_id} if last_event_id else {})}
        self.response = requests.get(
            description.base + PATH, query, headers=headers, stream=True, timeout=60
        )
        description_of_200 = description.document["paths"][PATH]["get"]["responses"]["200"]
        self.event_schemas = description_of_200["x-events"]
        self.lines = self.response.iter_lines(chunk_size=1, decode_unicode=True)

    def next(self, kind):
        """Reads the next event. Checks that the event is of this kind and matches its schema. Returns its id and its data."""
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
        self.description.check_value(data, self.event_schemas[kind], f"the event {kind}")
        return fields.get("id"), data

    def close(self):
        self.response.close()


def open_stream(description, **query):
    """Opens a stream, and checks the status and the headers of the response, whose body never ends."""
    stream = Stream(description, **query)
    description.request_count += 1
    response = stream.response
    check(response.status_code == 200, f"{PATH} {query}: {response.status_code}")
    content_type = response.headers["Content-Type"]
    check(content_type == "text/event-stream; charset=utf-8", f"{PATH} is {content_type}")
    for name in ("X-Content-Type-Options", "Cache-Control"):
        check(name in response.headers, f"{PATH} has no {name}")
    return contextlib.closing(stream)


def check_changes(description, client):
    """A stream sends all changes in order. A new stream with the id of the last event sends the changes since then."""
    instance = client.result("hello", {})["instance"]
    params = {"session": NAME}
    client.result("open", {**params, "flow": "game"})
    with open_stream(description, session=NAME, topics="changes,refusals") as stream:
        first_id, snapshot = stream.next("snapshot")
        check(snapshot["instance"] == instance, f"the snapshot is of {snapshot['instance']}")
        check(first_id == f"{instance}:{snapshot['pos']}", f"the snapshot's id is {first_id}")
        check([session["session"] for session in snapshot["sessions"]] == [NAME], f"the snapshot is {snapshot}")
        client.result("send", {**params, "event": "startPlaying"})
        change_id, change = stream.next("change")
        check(change_id == f"{instance}:{change['pos']}", f"the change {change['pos']} has the id {change_id}")
        client.call("send", {**params, "event": "startPlaying"})
        refusal = stream.next("refused")[1]
        check(refusal["error"]["message"] == "noTransition", f"the event was refused with {refusal}")
    with open_stream(description, session=NAME, last_event_id=first_id) as stream:
        check(stream.next("snapshot")[0] is None, "the snapshot has an id, though the missed changes follow it")
        check(stream.next("change") == (change_id, change), "the stream sends another change than the missed one")
    # No change has this position yet, so the stream has a gap.
    with open_stream(description, session=NAME, since=f"{instance}:{2**52}") as stream:
        stream.next("snapshot")
        stream.next("gap")
    with open_stream(description, session="*", since=f"{instance}:{2**52}") as stream:
        stream.next("snapshot")
        check(stream.next("gap")[1]["session"] == "*", "the stream of all sessions got a gap that names one session")


def check_beats(description, client):
    """A stream sends the beats of a pendulum, and an event `clock` when the virtual clock is advanced."""
    params = {"session": NAME}
    client.result("goto", {**params, "state": "playingLevel", "data": LEVEL})
    with open_stream(description, session=NAME, topics="beats") as stream:
        virtual = stream.next("snapshot")[1]["clock"] == "virtual"
        if virtual:
            client.result("advance", {"session": None, "by": "1s"})
        stream.next("beat")
        if virtual:
            stream.next("clock")


def check_refusals(description, client):
    """A request for a stream with wrong parameters gets an ordinary error response."""
    for query, status in (
        ("topics=nothing", 400),
        ("topic=changes", 400),
        ("session=no%20name", 400),
        ("session=nowhere", 404),
    ):
        url = f"{description.base}{PATH}?{query}"
        response = requests.get(url, headers=description.bearer, timeout=60)
        description.check_response([*CONFORMANCE, usual_headers], PATH, "GET", response)
        client.check_status(response, status, query)


def run(description):
    client = CheckedClient(description)
    check_refusals(description, client)
    check_changes(description, client)
    check_beats(description, client)
    client.result("close", {"session": NAME})
