"""Makes requests that are refused: for each error and each status that a client can cause, and without a token or
with a wrong one."""

from openapi_checks import reply
from openapi_description import check
from openapi_tour import Tour

# Each request is refused with this error and this status, for a session of the flow `game` in its first state.
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


def refusals(tour):
    tour.result("open", {"flow": "game"})
    for method, params, name, status in REFUSALS:
        response = tour.call(method, params)
        tour.status(response, status, f"{method} {params}")
        answer = reply(response)
        found = answer.get("error", {}).get("message")
        check(found == name, f"{method} {params}: expected {name}, got {response.text}")
        if name == "storage":
            why = answer["error"]["data"]["why"]
            refusal = "this daemon has a journal; backups would go to made-up paths"
            check(why.startswith("there is no journal"), refusal)
    tour.result("close", {})


def statuses(tour):
    call = {"jsonrpc": "2.0", "method": "ping"}
    tour.status(tour.post(call), 204, "a notification")
    tour.status(tour.post([call, {**call, "id": 1}, 7]), 200, "a batch")
    tour.status(tour.post([]), 400, "an empty batch")
    tour.status(tour.post("{"), 400, "invalid JSON")
    tour.status(tour.post("[" * 200), 400, "JSON that is nested too deeply")
    tour.status(tour.post(" " * 70_000), 413, "a body that is too large")
    tour.status(tour.post(call, {"Content-Type": "text/plain"}), 415, "a Content-Type other than JSON")
    tour.status(tour.fetch("/metrics"), 200, "metrics")
    tour.status(tour.fetch("/openapi.json"), 200, "the description")
    tour.status(tour.fetch("/"), 200, "the desk")
    kiosk = ("/play/{session}", "GET")
    tour.status(tour.fetch("/play/main", described=kiosk), 200, "the kiosk")
    tour.status(tour.fetch("/play/no%20name", described=kiosk), 404, "a kiosk of no session")
    tour.status(tour.fetch("/healthz", headers={"Host": "elsewhere"}), 403, "another's host")
    tour.status(tour.post(call, {"Origin": "http://elsewhere"}), 403, "another's page")
    for path, method in (("/healthz", "PUT"), ("/v1/rpc", "GET"), ("/v1/events", "POST")):
        known = (path, {"PUT": "GET", "GET": "POST", "POST": "GET"}[method])
        tour.status(tour.fetch(path, method, described=known), 405, f"{method} {path}")


def credentials(tour):
    """Requests without credentials, with wrong ones, and with a cookie."""
    tokens = {"session": None, "action": "list"}
    tour.status(tour.call("token", tokens, headers={}), 401, "without a token")
    for wrong in ("Bearer 0", "Bearer", "Basic YTpi"):
        headers = {"Authorization": wrong}
        tour.status(tour.call("ping", {}, headers), 401, wrong)
        tour.status(tour.fetch("/v1/events", headers=headers), 401, wrong)
    token = tour.description.token
    for body, type in ((f'{{"token":"{token}"}}', "application/json"), (token, "text/plain")):
        signed = tour.fetch("/v1/login", "POST", body, {"Content-Type": type})
        tour.status(signed, 200, f"signing in with {type}")
    cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
    check(reply(tour.call("hello", {}, cookie))["result"]["name"] == "gamed", "the cookie is none")
    tour.status(tour.call("token", tokens, cookie), 200, "a cookie")
    out = tour.fetch("/v1/login", "POST", "", {"Content-Type": "text/plain"})
    tour.status(out, 401, "signing out")


def run(description):
    tour = Tour(description)
    for part in (refusals, statuses, credentials):
        part(tour)
