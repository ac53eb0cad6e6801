"""Makes a request for each error and each HTTP status that a client can cause. Also makes requests without a token, and with a
wrong token."""

from openapi_checks import parse_reply
from openapi_description import check
from openapi_tour import CheckedClient

# Method, parameters, error and HTTP status of each refused request. `CheckedClient.call` adds the parameter `session`: the
# name of a session of the flow `game` in its initial state. With `None`, the request has no parameter `session`.
REFUSALS = [
    ("send", {"event": "chooseLevel", "args": {"level": 1}}, "noTransition", 200),
    ("send", {"event": "startPlaying", "args": {"more": 1}}, "invalid", 200),
    ("send", {"event": "tick"}, "forbidden", 403),
    ("send", {"event": "startPlayin"}, "unknownEvent", 200),
    ("status", {"session": "nowhere"}, "unknownSession", 200),
    ("open", {"flow": "game"}, "exists", 200),
    ("open", {"session": "other", "flow": "gam"}, "unknownFlow", 200),
    ("goto", {"state": "hel"}, "unknownState", 200),
    ("timer", {"fires": "timeUp", "action": "pause"}, "invalid", 200),
    ("auth", {"session": None, "token": "none"}, "forbidden", 403),
    ("status", {"session": "no name"}, "Invalid params", 400),
    ("nothing", {}, "Method not found", 400),
    ("backup", {"session": None, "to": "/nowhere/at/all", "onServer": True}, "storage", 503),
    ("backup", {"session": None, "to": "/nowhere/at/all"}, "Invalid params", 400),
    ("backup", {"session": None}, "Invalid params", 400),
    ("prune", {"session": None}, "storage", 503),
]


def check_refusals(client):
    client.result("open", {"flow": "game"})
    for method, params, name, status in REFUSALS:
        response = client.call(method, params)
        client.check_status(response, status, f"{method} {params}")
        answer = parse_reply(response)
        found = answer.get("error", {}).get("message")
        check(found == name, f"{method} {params}: expected {name}, got {response.text}")
        if name == "storage":
            why = answer["error"]["data"]["why"]
            failure = "start the daemon without a journal, so that no request writes or removes files"
            check(why.startswith("there is no journal"), failure)
    client.result("close", {})


def check_statuses(client):
    notification = {"jsonrpc": "2.0", "method": "ping"}
    client.check_status(client.post(notification), 204, "a notification")
    client.check_status(client.post([notification, {**notification, "id": 1}, 7]), 200, "a batch")
    client.check_status(client.post([]), 400, "an empty batch")
    client.check_status(client.post("{"), 400, "invalid JSON")
    client.check_status(client.post("[" * 200), 400, "JSON that is nested too deeply")
    client.check_status(client.post(" " * 70_000), 413, "a body that is too large")
    client.check_status(client.post(notification, {"Content-Type": "text/plain"}), 415, "a Content-Type other than JSON")
    client.check_status(client.fetch("/metrics"), 200, "metrics")
    client.check_status(client.fetch("/openapi.json"), 200, "the description")
    client.check_status(client.fetch("/"), 200, "the desk")
    # An operation is the path and the method in the description. It is given if the request has another path or another method.
    kiosk_operation = ("/play/{session}", "GET")
    client.check_status(client.fetch("/play/main", operation=kiosk_operation), 200, "the kiosk")
    client.check_status(client.fetch("/play/no%20name", operation=kiosk_operation), 404, "a kiosk with an invalid session name")
    client.check_status(client.fetch("/healthz", headers={"Host": "elsewhere"}), 403, "a foreign host")
    client.check_status(client.post(notification, {"Origin": "http://elsewhere"}), 403, "a foreign origin")
    for path, method in (("/healthz", "PUT"), ("/v1/rpc", "GET"), ("/v1/events", "POST")):
        allowed_operation = (path, {"PUT": "GET", "GET": "POST", "POST": "GET"}[method])
        client.check_status(client.fetch(path, method, operation=allowed_operation), 405, f"{method} {path}")


def check_credentials(client):
    """Requests without credentials, with wrong ones, and with a cookie."""
    tokens = {"session": None, "action": "list"}
    client.check_status(client.call("token", tokens, headers={}), 401, "without a token")
    for wrong_credentials in ("Bearer 0", "Bearer", "Basic YTpi"):
        headers = {"Authorization": wrong_credentials}
        client.check_status(client.call("ping", {}, headers), 401, wrong_credentials)
        client.check_status(client.fetch("/v1/events", headers=headers), 401, wrong_credentials)
    token = client.description.token
    for body, content_type in ((f'{{"token":"{token}"}}', "application/json"), (token, "text/plain")):
        sign_in = client.fetch("/v1/login", "POST", body, {"Content-Type": content_type})
        client.check_status(sign_in, 200, f"signing in with {content_type}")
    cookie = {"Cookie": sign_in.headers["Set-Cookie"].split(";")[0]}
    check(parse_reply(client.call("hello", {}, cookie))["result"]["name"] == "gamed", "the cookie is not accepted")
    client.check_status(client.call("token", tokens, cookie), 200, "a cookie")
    # An empty token signs out; the answer has no identity, so its status is 401.
    sign_out = client.fetch("/v1/login", "POST", "", {"Content-Type": "text/plain"})
    client.check_status(sign_out, 401, "signing out")


def run(description):
    client = CheckedClient(description)
    for part in (check_refusals, check_statuses, check_credentials):
        part(client)
