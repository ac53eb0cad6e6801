"""Calls every method with parameters that the daemon accepts. The daemon rarely accepts the parameters of generated requests.
openapi_refusals.py makes the requests that are refused."""

import json
import os

import requests

from openapi_checks import CONFORMANCE, parse_reply, usual_headers
from openapi_description import check, result_schema

JSON = {"Content-Type": "application/json"}
NAME = f"openapi-{os.getpid()}"
LEVEL = {"episode": 1, "level": 2}

# Calls that succeed, in this order. A call without the parameter `session` gets NAME; None means no session.
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


class CheckedClient:
    """Makes requests, and checks each response against the description."""

    def __init__(self, description):
        self.description = description

    def fetch(self, path, method="GET", body=None, headers=None, operation=None):
        url = self.description.base + path
        response = requests.request(method, url, data=body, headers=headers, timeout=60)
        operation = operation or (path, method)
        self.description.check_response([*CONFORMANCE, usual_headers], *operation, response)
        return response

    def post(self, message, headers=None):
        all_headers = {**JSON, **(self.description.bearer if headers is None else headers)}
        body = message if isinstance(message, str) else json.dumps(message)
        return self.fetch("/v1/rpc", "POST", body, all_headers)

    def call(self, method, params, headers=None):
        params = {"session": NAME, **params}
        if method in ("hello", "ping") or params["session"] is None:
            del params["session"]
        request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        return self.post(request, headers)

    def result(self, method, params):
        response = self.call(method, params)
        answer = parse_reply(response)
        check("result" in (answer or {}), f"{method} {params} has no result: {response.text}")
        document = self.description.document
        self.description.check_value(answer["result"], result_schema(document, method), method)
        return answer["result"]

    def check_status(self, response, expected, label):
        found = response.status_code
        check(found == expected, f"{label}: expected {expected}, got {found}: {response.text[:300]}")


def check_results(client):
    for method, params in METHODS:
        client.result(method, params)
    client.result("auth", {"session": None, "token": client.description.token})
    hello = client.result("hello", {})
    request_schema = client.description.document["components"]["schemas"]["Request"]
    methods = list(request_schema["discriminator"]["mapping"])
    check(sorted(methods) == sorted(hello["methods"]), "hello names other methods than are described")
    for flow in hello["flows"]:
        client.result("describe", {"session": None, "flow": flow})
    if hello["clock"] == "virtual":
        for params in ({"by": "1s"}, {"toNext": True}):
            client.result("advance", {"session": None, **params})
    else:
        answer = parse_reply(client.call("advance", {"session": None, "by": "1s"}))
        check(answer["error"]["message"] == "notVirtual", f"a real clock was moved: {answer}")


def run(description):
    check_results(CheckedClient(description))
