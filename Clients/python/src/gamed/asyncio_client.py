"""The client for asyncio. `Client` executes the same coroutines on a socket that blocks."""

import ssl
import time
import uuid
from typing import Any, AsyncGenerator, Iterable, Mapping, Optional, Type, TypeVar, Union

from . import addresses
from .channels import LineChannel, Options, WebChannel
from .errors import ConnectionLost, Storage
from .streams import Asyncio
from .values import Advance, Change, Hello, History, Session, SessionList, Value
from .watching import Ended, Item, LineWatch, Since, WebWatch

V = TypeVar("V", bound=Value)

#: The methods that change nothing, so that they can be repeated without an id.
READING = frozenset(
    "alerts bluetooth describe flows graph hello history leaderboard list nodes outputs ping screens sources stats status"
    .split())
#: The daemon knows the id of a request for ten minutes. After that, a repeated request is refused as stale.
LONGEST_RETRY = 540.0
#: The pauses between attempts double, from the first to the last.
FIRST_PAUSE, LAST_PAUSE = 0.05, 1.0


def _given(**params: Any) -> Mapping[str, Any]:
    """The parameters that are not None."""
    return {name: value for name, value in params.items() if value is not None}


class AsyncClient:
    """
    A client of gamed for asyncio. See `Client`, which has the same methods.

    Several tasks may use one client: their requests are sent one after the other, over one connection.
    """

    _runtime: Any = Asyncio

    def __init__(
        self, address: Optional[str] = None, *, token: Optional[str] = None, timeout: float = 10.0,
        retry_for: float = 30.0, tls: Optional[ssl.SSLContext] = None
    ):
        if not 0 <= retry_for <= LONGEST_RETRY:
            raise ValueError(f"retry_for: 0 to {LONGEST_RETRY} seconds, because the daemon forgets ids after ten minutes")
        parsed = addresses.parse(address or addresses.default())
        if parsed.has_tls and tls is None:
            tls = ssl.create_default_context()
        self._options = Options(parsed, token, tls, timeout)
        self._retry_for = retry_for
        self._channel: Any = None
        # Made at the first request: before Python 3.10, a lock belongs to the event loop in which it is made.
        self._lock: Any = None

    async def __aenter__(self) -> "AsyncClient":
        await self.connect()
        return self

    async def __aexit__(self, *_: Any) -> None:
        channel = self._channel
        self.close()
        if channel is not None:
            await channel.finish()

    async def connect(self) -> None:
        """Connects, and presents the token. Raises `ConnectionLost` at once if the daemon cannot be reached."""
        async with self._locked():
            await self._connected()

    def close(self) -> None:
        """Closes the connection. Another request opens it again."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def _locked(self) -> Any:
        if self._lock is None:
            self._lock = self._runtime.lock()
        return self._lock

    async def _connected(self) -> Any:
        """The channel, connected. gamed closes a connection over a network that was idle for some minutes."""
        if self._channel is None or self._channel.is_closed:
            self.close()
            kind = WebChannel if self._options.address.is_web else LineChannel
            self._channel = await kind.open(self._runtime, self._options)
        return self._channel

    async def call(self, method: str, params: Optional[Mapping[str, Any]] = None) -> Any:
        """
        Sends any request, and returns the JSON of its result.

        If the connection is lost before the reply, a request that has an `id` or that only reads is sent again, on a new
        connection, until the time `retry_for` is over. So is a request with an `id` that the daemon has refused as `storage`
        with the outcome `unknown`.
        """
        params = params or {}
        is_repeatable = "id" in params or (method in READING and "action" not in params)
        end, pause = time.monotonic() + self._retry_for, FIRST_PAUSE
        may_have_happened = False
        while True:
            try:
                async with self._locked():
                    return await (await self._connected()).call(method, params)
            except ConnectionLost as lost:
                may_have_happened = may_have_happened or lost.may_have_happened
                is_over = time.monotonic() + pause > end
                if is_over or (lost.may_have_happened and not is_repeatable):
                    raise ConnectionLost(str(lost), may_have_happened) from lost
            except Storage as refusal:
                is_over = time.monotonic() + pause > end
                if is_over or refusal.data.get("outcome") != "unknown" or "id" not in params:
                    raise
                may_have_happened = True
            await self._runtime.sleep(pause)
            pause = min(2 * pause, LAST_PAUSE)

    async def _read(self, kind: Type[V], method: str, **params: Any) -> V:
        return kind.read(await self.call(method, _given(**params)))

    async def _change(self, kind: Type[V], method: str, id: Optional[str], **params: Any) -> V:
        """A request that changes a session. It gets an id if the caller gives none."""
        return await self._read(kind, method, id=id or uuid.uuid4().hex, **params)

    async def hello(self) -> Hello:
        return await self._read(Hello, "hello")

    async def ping(self) -> None:
        await self.call("ping")

    async def status(self, session: str = "main") -> Session:
        return await self._read(Session, "status", session=session)

    async def list(
        self, flow: Optional[str] = None, *, limit: Optional[int] = None, after: Optional[str] = None
    ) -> SessionList:
        return await self._read(SessionList, "list", flow=flow, limit=limit, after=after)

    async def describe(self, flow: Optional[str] = None, *, session: Optional[str] = None) -> Mapping[str, Any]:
        description: Mapping[str, Any] = await self.call("describe", _given(flow=flow, session=session))
        return description

    async def history(
        self, session: str = "main", *, limit: Optional[int] = None, before: Optional[int] = None,
        refusal: Optional[int] = None
    ) -> History:
        return await self._read(History, "history", session=session, limit=limit, before=before, refusal=refusal)

    async def send(
        self, event: str, args: Optional[Mapping[str, Any]] = None, *, session: str = "main", id: Optional[str] = None,
        age_ms: Optional[int] = None, entry: Optional[int] = None
    ) -> Change:
        return await self._change(
            Change, "send", id, session=session, event=event, args=args, ageMs=age_ms, entry=entry)

    async def open(
        self, session: str, flow: Optional[str] = None, *, state: Optional[str] = None,
        data: Optional[Mapping[str, Any]] = None, settings: Optional[Mapping[str, Any]] = None,
        labels: Optional[Mapping[str, str]] = None, again: Optional[bool] = None, id: Optional[str] = None
    ) -> Session:
        return await self._change(
            Session, "open", id, session=session, flow=flow, state=state, data=data, settings=settings, labels=labels,
            again=again)

    async def close_session(self, session: str, *, id: Optional[str] = None) -> Session:
        return await self._change(Session, "close", id, session=session)

    async def timer(
        self, fires: str, action: str, *, session: str = "main", by: Optional[str] = None, to: Optional[str] = None,
        entry: Optional[int] = None, id: Optional[str] = None
    ) -> Session:
        return await self._change(
            Session, "timer", id, session=session, fires=fires, action=action, by=by, to=to, entry=entry)

    async def goto(
        self, state: str, data: Optional[Mapping[str, Any]] = None, *, session: str = "main",
        reason: Optional[str] = None, entry: Optional[int] = None, id: Optional[str] = None
    ) -> Change:
        return await self._change(
            Change, "goto", id, session=session, state=state, data=data, reason=reason, entry=entry)

    async def label(self, labels: Mapping[str, str], *, session: str = "main", id: Optional[str] = None) -> Change:
        return await self._change(Change, "label", id, session=session, labels=labels)

    async def say(
        self, text: str, *, session: str = "main", for_: Optional[str] = None, id: Optional[str] = None
    ) -> Change:
        return await self._change(Change, "say", id, session=session, text=text, **_given(**{"for": for_}))

    async def move(self, session: str = "main", *, entry: Optional[int] = None, id: Optional[str] = None) -> Change:
        return await self._change(Change, "move", id, session=session, entry=entry)

    async def undo(
        self, session: str = "main", *, seq: Optional[int] = None, entry: Optional[int] = None, id: Optional[str] = None
    ) -> Change:
        return await self._change(Change, "undo", id, session=session, seq=seq, entry=entry)

    async def advance(self, by: Optional[str] = None) -> Advance:
        """Advances the virtual clock by a duration, or to the next timer. It is never repeated, because it has no id."""
        return await self._read(Advance, "advance", **({"by": by} if by else {"toNext": True}))

    async def watch(
        self, session: str = "main", *, topics: Union[str, Iterable[str]] = ("changes",), since: Since = None,
        retry_for: Optional[float] = None
    ) -> AsyncGenerator[Item, None]:
        kind = WebWatch if self._options.address.is_web else LineWatch
        watch = kind(session, topics.split(",") if isinstance(topics, str) else topics, since)
        lost_since, pause = time.monotonic(), FIRST_PAUSE
        while True:
            lost: Optional[ConnectionLost] = None
            items = watch.connected(self._runtime, self._options)
            try:
                async for item in items:
                    yield item
                    lost_since, pause = time.monotonic(), FIRST_PAUSE
            except Ended:
                return
            except ConnectionLost as error:
                lost = error
            finally:
                await items.aclose()
            if lost is not None and retry_for is not None and time.monotonic() + pause > lost_since + retry_for:
                raise lost
            await self._runtime.sleep(pause)
            pause = min(2 * pause, LAST_PAUSE)
