"""Watches, which continue after a lost connection with the first change that was missed."""

import json
from typing import Any, AsyncGenerator, Dict, Iterable, Mapping, Optional, Union

from .channels import LineChannel, Options, WebChannel
from .values import NOTIFICATIONS, Gap, Session, Snapshot, Value

Item = Union[Snapshot, Gap, Value]
Since = Union[int, str, None]


def _sessions(json: Mapping[str, Any]) -> Dict[str, Any]:
    """The sessions of a snapshot or a gap. The gap of one session has the members of this session."""
    listed = json["sessions"] if "sessions" in json else [json]
    return {"sessions": tuple(map(Session.read, listed)), "more": json.get("more", False)}


class Ended(Exception):
    """The watched session was closed."""


class LineWatch:
    """A watch of one session or, with `*`, of all sessions, over lines."""

    def __init__(self, session: str, topics: Iterable[str], since: Since):
        self._session, self._topics, self._since = session, list(topics), since
        self._instance: Optional[str] = None
        # With several nodes, only a cursor names a position among the changes of all sessions. Changes after the cursor come
        # again after a lost connection, so the newest `pos` of each of their sessions tells which are new.
        self._seen: Optional[Dict[str, int]] = None

    async def connected(self, runtime: Any, options: Options) -> AsyncGenerator[Item, None]:
        """The items of one connection, until it is lost."""
        channel = await LineChannel.open(runtime, options)
        try:
            hello = await channel.call("hello", {})
            is_new = hello["instance"] != self._instance
            if is_new and self._instance is not None:
                self._since = None
            self._instance = hello["instance"]
            watched = {"session": self._session, "topics": self._topics}
            since = {} if self._since is None else {"since": self._since}
            result = await channel.call("watch", {**watched, **since})
            if self._session == "*" and hello.get("store") == "postgresql" and self._seen is None:
                self._seen = {}
            if self._since is None:
                self._begin(result)
            if is_new:
                yield Snapshot(instance=self._instance, **_sessions(result))
            async for message in channel.messages():
                if "result" in message:
                    self._begin(message["result"])
                    continue
                for item in self._items(message["method"], message["params"]):
                    yield item
                if message["method"] == "overrun":
                    return
                # After a silence nothing is missing, so the watch can continue at the cursor in the reply to another watch.
                if message["method"] == "heartbeat" and self._seen:
                    await channel.post("watch", watched)
        finally:
            await channel.finish()

    def _begin(self, json: Mapping[str, Any]) -> None:
        """Begins at the present state, as a snapshot or a gap has it."""
        if self._session == "*":
            self._since = json["pos"] if self._seen is None else json["cursor"]
            if self._seen is not None:
                self._seen = {}
        else:
            self._since = (json["sessions"][0] if "sessions" in json else json)["seq"]

    def _items(self, method: str, params: Mapping[str, Any]) -> Iterable[Item]:
        if method == "gap":
            self._begin(params)
            yield Gap(**_sessions(params))
        elif method == "heartbeat":
            if self._session == "*" and self._seen is None:
                self._since = params["pos"]
        elif method in NOTIFICATIONS:
            if method == "change" and not self._advance(params):
                return
            yield NOTIFICATIONS[method].read(params)
            if method == "change" and self._session != "*" and params["kind"] == "close" and not params.get("again"):
                raise Ended

    def _advance(self, change: Mapping[str, Any]) -> bool:
        """Continues after this change. Returns false if it has come before."""
        if self._session != "*":
            self._since = change["seq"]
        elif self._seen is None:
            self._since = change["pos"]
        else:
            if change["pos"] <= self._seen.get(change["session"], 0):
                return False
            self._seen[change["session"]] = change["pos"]
        return True


class WebWatch:
    """A watch over `/v1/events`, whose events have ids at which the stream can continue."""

    def __init__(self, session: str, topics: Iterable[str], since: Since):
        if since is not None:
            raise ValueError("a watch over HTTP begins at the present state: it has no since")
        self._session = session
        self._last_id: Optional[str] = None
        self._query = {"session": session, "topics": ",".join(topics)}
        self._instance: Optional[str] = None

    async def connected(self, runtime: Any, options: Options) -> AsyncGenerator[Item, None]:
        """The items of one connection, until it is lost."""
        channel = await WebChannel.open(runtime, options)
        try:
            async for event in channel.events(self._query, self._last_id):
                for item in self._items(event):
                    yield item
                if event.get("event") == "overrun":
                    return
        finally:
            await channel.finish()

    def _items(self, event: Mapping[str, str]) -> Iterable[Item]:
        self._last_id = event.get("id", self._last_id)
        method = event.get("event", "")
        if method == "snapshot":
            params = json.loads(event["data"])
            if params["instance"] != self._instance:
                self._instance = params["instance"]
                yield Snapshot(instance=self._instance, **_sessions(params))
        elif method == "gap":
            yield Gap(**_sessions(json.loads(event["data"])))
        elif method in NOTIFICATIONS:
            params = json.loads(event["data"])
            yield NOTIFICATIONS[method].read(params)
            if method == "change" and self._session != "*" and params["kind"] == "close" and not params.get("again"):
                raise Ended
