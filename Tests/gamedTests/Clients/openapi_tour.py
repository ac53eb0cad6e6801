"""Calls every method with parameters that are accepted, which random requests rarely have. openapi_refusals.py makes
requests that are refused."""

import json
import os

import requests

from openapi_checks import CONFORMANCE, reply, usual_headers
from openapi_description import check, result_schema

JSON = {"Content-Type": "application/json"}
NAME = f"openapi-{os.getpid()}"
LEVEL = {"episode": 1, "level": 2}

# Each request has a result. Its `session` is NAME if it has none.
METHODS = [
    ("hello", {}),
    ("ping", {}),
    ("open", {"flow": "game"}),
    ("status", {}),
    ("list", {"session": None, "limit": 10}),
    ("send", {"event": "startPlaying", "id": "first", "ageMs": 5}),
    ("send", {"event": "chooseEpisode", "args": {"episode": 2.0}}),
    ("goto", {"state": "playingLevel", "data": LEVEL, "reason": "a test"}),
    ("timer", {"fires": "timeUp", "action": "pause"}),
    ("timer", {"fires": "timeUp", "action": "extend", "by": "30s"}),
    ("timer", {"fires": "tick", "action": "restart"}),
    ("watch", {"topics": ["changes", "beats"]}),
    ("watch", {"session": "*", "since": 0}),
    ("unwatch", {}),
    ("history", {}),
    ("history", {"limit": 2}),
    ("close", {}),
    ("open", {"flow": "startup"}),
    # No user is signed in yet, so the event is deferred.
    ("send", {"event": "deepLink", "args": {"link": "app://door/7"}}),
    ("close", {}),
    ("token", {"session": None, "action": "add", "name": NAME}),
    ("token", {"session": None, "action": "list"}),
    ("token", {"session": None, "action": "remove", "name": NAME}),
    ("graph", {"session": None, "format": "dot"}),
]

class Tour:
    def __init__(self, description):
        self.description = description

    def fetch(self, path, method="GET", body=None, headers=None, described=None):
        url = self.description.base + path
        response = requests.request(method, url, data=body, headers=headers, timeout=60)
        known = described or (path, method)
        self.description.holds([*CONFORMANCE, usual_headers], *known, response)
        return response

    def post(self, message, headers=None):
        everything = {**JSON, **(self.description.bearer if headers is None else headers)}
        body = message if isinstance(message, str) else json.dumps(message)
        return self.fetch("/v1/rpc", "POST", body, everything)

    def call(self, method, params, headers=None):
        params = {"session": NAME, **params}
        if method in ("hello", "ping") or params["session"] is None:
            del params["session"]
        request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        return self.post(request, headers)

    def result(self, method, params):
        response = self.call(method, params)
        answer = reply(response)
        check("result" in (answer or {}), f"{method} {params} has no result: {response.text}")
        document = self.description.document
        self.description.fits(answer["result"], result_schema(document, method), method)
        return answer["result"]

    def status(self, response, expected, what):
        found = response.status_code
        check(found == expected, f"{what}: expected {expected}, got {found}: {response.text[:300]}")


def results(tour):
    for method, params in METHODS:
        tour.result(method, params)
    tour.result("auth", {"session": None, "token": tour.description.token})
    about = tour.result("hello", {})
    described = tour.description.document["components"]["schemas"]["Request"]
    methods = list(described["discriminator"]["mapping"])
    check(sorted(methods) == sorted(about["methods"]), "hello names other methods than are described")
    for flow in about["flows"]:
        tour.result("describe", {"session": None, "flow": flow})
    if about["clock"] == "virtual":
        for params in ({"by": "1s"}, {"toNext": True}):
            tour.result("advance", {"session": None, **params})
    else:
        answer = reply(tour.call("advance", {"session": None, "by": "1s"}))
        check(answer["error"]["message"] == "notVirtual", f"a real clock was moved: {answer}")


def run(description):
    results(Tour(description))
