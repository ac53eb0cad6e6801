"""The errors of the daemon, by their names in docs/protocol.md, and the errors of a connection."""

from typing import Any, Dict, Mapping, Type


class GamedError(Exception):
    """Any error of this package."""


class ConnectionLost(GamedError, ConnectionError):
    """
    There is no connection to the daemon, or it was lost before the reply, and the time for repeating is over.

    `may_have_happened` says whether the daemon may have carried out the request.
    """

    def __init__(self, why: str, may_have_happened: bool = False):
        super().__init__(why)
        self.may_have_happened = may_have_happened


class ProtocolError(GamedError):
    """The other side does not speak the protocol of gamed."""


class Refusal(GamedError):
    """The daemon has refused a request. A refusal changes nothing, except `Storage` with the outcome `unknown`."""

    #: The name of the error, such as `noTransition`.
    name = ""
    #: The number of the error.
    code = 0

    def __init__(self, name: str, code: int, data: Mapping[str, Any]):
        self.name, self.code, self.data = name, code, data
        details = data.get("why") or ", ".join(f"{key}={value}" for key, value in data.items())
        super().__init__(f"{name}: {details}" if details else name)


class ParseError(Refusal):
    """The line was not valid."""

    name, code = "parseError", -32700


class InvalidRequest(Refusal):
    """The message was no request."""

    name, code = "invalidRequest", -32600


class MethodNotFound(Refusal):
    """The daemon has no such method; `data["didYouMean"]` has similar names."""

    name, code = "methodNotFound", -32601


class InvalidParams(Refusal):
    """One of the method's own parameters is missing, unknown or of the wrong type."""

    name, code = "invalidParams", -32602


class NoTransition(Refusal):
    """The state does not take this event; `data["last"]` is the newest change, so it shows who was first."""

    name, code = "noTransition", 1


class Invalid(Refusal):
    """An argument of the event or a datum of the state is wrong; `data["why"]` says how."""

    name, code = "invalid", 2


class Forbidden(Refusal):
    """No rule allows the request; `data["needs"]` is the role that it needs."""

    name, code = "forbidden", 4


class UnknownSession(Refusal):
    """No session has this name."""

    name, code = "unknownSession", 5


class UnknownEvent(Refusal):
    """The flow has no event of this name."""

    name, code = "unknownEvent", 6


class Finished(Refusal):
    """The session is in a final state."""

    name, code = "finished", 7


class Stale(Refusal):
    """The request comes too late: it is too old, or its `entry` has ended, or its id is forgotten."""

    name, code = "stale", 8


class DeferQueueFull(Refusal):
    """Too many events are deferred already."""

    name, code = "deferQueueFull", 9


class Exists(Refusal):
    """A session of this name is open."""

    name, code = "exists", 10


class Limit(Refusal):
    """Too many, or too large; `data["which"]` is the limit."""

    name, code = "limit", 11


class Storage(Refusal):
    """The change could not be made durable; `data["outcome"]` is `undone`, or `unknown`."""

    name, code = "storage", 12


class UnknownFlow(Refusal):
    """The daemon has no flow of this name."""

    name, code = "unknownFlow", 13


class NotVirtual(Refusal):
    """`advance` on a real clock."""

    name, code = "notVirtual", 14


class UnknownState(Refusal):
    """The flow has no state of this name."""

    name, code = "unknownState", 15


class Elsewhere(Refusal):
    """Another node owns the session; `data["address"]` is its address."""

    name, code = "elsewhere", 16


#: The class of each error, by its number.
REFUSALS: Dict[int, Type[Refusal]] = {kind.code: kind for kind in Refusal.__subclasses__()}


def refusal(error: Mapping[str, Any]) -> Refusal:
    """The exception for the member `error` of a JSON-RPC reply. An error that a newer daemon has is a plain `Refusal`."""
    code = error.get("code", 0)
    kind = REFUSALS.get(code, Refusal)
    return kind(kind.name or error.get("message", ""), code, error.get("data") or {})
