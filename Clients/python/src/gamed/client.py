"""The client for programs without an event loop."""

import ssl
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from .asyncio_client import AsyncClient
from .streams import Blocking, run
from .values import Advance, Change, Hello, History, Session, SessionList
from .watching import Item, Since


class _BlockingClient(AsyncClient):
    _runtime = Blocking


class Client:
    """
    A client of gamed. Several threads may use one client: their requests are sent one after the other, over one connection.

    `address` is the path of a UNIX socket, `tcp://HOST:PORT`, `tls://HOST:PORT`, or `http://` or `https://` with a host;
    without it, the socket that gamectl would use. `token` gives the client rights. `timeout` is the longest time, in seconds,
    to connect and to wait for one reply. `tls` replaces the default context of TLS.

    Each request that changes a session has an id, a new one unless the caller gives one, so it is executed at most once. If the
    connection is lost before the reply, the request is sent again with this id, until `retry_for` seconds are over. Then
    `ConnectionLost` is raised. A refusal of the daemon is raised as a `Refusal`, such as `NoTransition`.
    """

    def __init__(
        self, address: Optional[str] = None, *, token: Optional[str] = None, timeout: float = 10.0,
        retry_for: float = 30.0, tls: Optional[ssl.SSLContext] = None
    ):
        self._client = _BlockingClient(address, token=token, timeout=timeout, retry_for=retry_for, tls=tls)

    def __enter__(self) -> "Client":
        self.connect()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def connect(self) -> None:
        """Connects, and presents the token. Raises `ConnectionLost` at once if the daemon cannot be reached."""
        run(self._client.connect())

    def close(self) -> None:
        """Closes the connection. Another request opens it again."""
        self._client.close()

    def call(self, method: str, params: Optional[Mapping[str, Any]] = None) -> Any:
        """Sends any request, and returns the JSON of its result. Only a request that reads or has an `id` is repeated."""
        return run(self._client.call(method, params))

    def hello(self) -> Hello:
        """What the daemon says about itself."""
        return run(self._client.hello())

    def ping(self) -> None:
        """Checks that the daemon responds."""
        run(self._client.ping())

    def status(self, session: str = "main") -> Session:
        """A session: its state, data, timers and accepted events."""
        return run(self._client.status(session))

    def list(
        self, flow: Optional[str] = None, *, limit: Optional[int] = None, after: Optional[str] = None
    ) -> SessionList:
        """The sessions, by name."""
        return run(self._client.list(flow, limit=limit, after=after))

    def describe(self, flow: Optional[str] = None, *, session: Optional[str] = None) -> Mapping[str, Any]:
        """The states, events and transitions of a flow, as JSON."""
        return run(self._client.describe(flow, session=session))

    def history(
        self, session: str = "main", *, limit: Optional[int] = None, before: Optional[int] = None,
        refusal: Optional[int] = None
    ) -> History:
        """The changes and refusals of a session, newest first. For the next page, pass `**history.next`."""
        return run(self._client.history(session, limit=limit, before=before, refusal=refusal))

    def send(
        self, event: str, args: Optional[Mapping[str, Any]] = None, *, session: str = "main", id: Optional[str] = None,
        age_ms: Optional[int] = None, entry: Optional[int] = None
    ) -> Change:
        """
        Sends an event with its arguments. `entry` is the visit of a state for which the event is meant; after it, the event is
        refused as `Stale`. `age_ms` is the age of the event.
        """
        return run(self._client.send(event, args, session=session, id=id, age_ms=age_ms, entry=entry))

    def open(
        self, session: str, flow: Optional[str] = None, *, state: Optional[str] = None,
        data: Optional[Mapping[str, Any]] = None, settings: Optional[Mapping[str, Any]] = None,
        labels: Optional[Mapping[str, str]] = None, again: Optional[bool] = None, id: Optional[str] = None
    ) -> Session:
        """Opens a session."""
        return run(
            self._client.open(
                session, flow, state=state, data=data, settings=settings, labels=labels, again=again, id=id))

    def close_session(self, session: str, *, id: Optional[str] = None) -> Session:
        """Closes a session, and returns it as it was."""
        return run(self._client.close_session(session, id=id))

    def timer(
        self, fires: str, action: str, *, session: str = "main", by: Optional[str] = None, to: Optional[str] = None,
        entry: Optional[int] = None, id: Optional[str] = None
    ) -> Session:
        """Operates a timer: `pause`, `resume`, `restart`, `extend` or `shorten` by a duration, `set` to a duration."""
        return run(self._client.timer(fires, action, session=session, by=by, to=to, entry=entry, id=id))

    def goto(
        self, state: str, data: Optional[Mapping[str, Any]] = None, *, session: str = "main",
        reason: Optional[str] = None, entry: Optional[int] = None, id: Optional[str] = None
    ) -> Change:
        """Enters any state, without effects."""
        return run(self._client.goto(state, data, session=session, reason=reason, entry=entry, id=id))

    def label(self, labels: Mapping[str, str], *, session: str = "main", id: Optional[str] = None) -> Change:
        """Sets labels; an empty text removes one."""
        return run(self._client.label(labels, session=session, id=id))

    def say(self, text: str, *, session: str = "main", for_: Optional[str] = None, id: Optional[str] = None) -> Change:
        """Shows a message on the session's screens, for a duration such as `30s`, or until the next message."""
        return run(self._client.say(text, session=session, for_=for_, id=id))

    def move(self, session: str = "main", *, entry: Optional[int] = None, id: Optional[str] = None) -> Change:
        """Moves a session to the newest version of its flow."""
        return run(self._client.move(session, entry=entry, id=id))

    def undo(
        self, session: str = "main", *, seq: Optional[int] = None, entry: Optional[int] = None, id: Optional[str] = None
    ) -> Change:
        """Takes a session back by one step, or to just after the change `seq`."""
        return run(self._client.undo(session, seq=seq, entry=entry, id=id))

    def advance(self, by: Optional[str] = None) -> Advance:
        """Advances the virtual clock by a duration, or to the next timer. It is never repeated, because it has no id."""
        return run(self._client.advance(by))

    def watch(
        self, session: str = "main", *, topics: Union[str, Iterable[str]] = ("changes",), since: Since = None,
        retry_for: Optional[float] = None
    ) -> Iterator[Item]:
        """
        Watches a session, or all sessions with `*`, over a connection of its own. Yields a `Snapshot` of the present state, and
        then each `Change`, and what else the topics have: `beats`, `refusals`, `inputs`, `stuck`. `since` is a `seq`, or a
        `pos` for `*`: the changes after it come first. It ends when the session is closed.

        After a lost connection it connects again, and continues with the first change that was missed. If the daemon no longer
        has the missed changes, a `Gap` takes their place; after a start of the daemon without its data, another `Snapshot`.
        Raises `ConnectionLost` when the connection was lost for `retry_for` seconds; without `retry_for`, it tries for ever.
        """
        items = self._client.watch(session, topics=topics, since=since, retry_for=retry_for)
        try:
            while True:
                try:
                    item = run(items.__anext__())
                except StopAsyncIteration:
                    return
                yield item
        finally:
            run(items.aclose())


def connect(address: Optional[str] = None, **options: Any) -> Client:
    """Makes a `Client` and connects it. Use it in a `with` statement, or call `close`."""
    client = Client(address, **options)
    client.connect()
    return client
