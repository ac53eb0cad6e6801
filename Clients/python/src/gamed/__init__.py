"""
A client of gamed, the daemon that runs games and app flows as state machines with timers.

    import gamed

    with gamed.connect("/run/gamed/gamed.sock") as daemon:
        try:
            daemon.send("buzz", {"player": "Ann"})
        except gamed.NoTransition as refusal:
            print("too late:", refusal.data["last"])
        for item in daemon.watch("main"):
            print(item)
"""

from .asyncio_client import AsyncClient
from .client import Client, connect
from .errors import (
    ConnectionLost,
    DeferQueueFull,
    Elsewhere,
    Exists,
    Finished,
    Forbidden,
    GamedError,
    Invalid,
    InvalidParams,
    InvalidRequest,
    Limit,
    MethodNotFound,
    NoTransition,
    NotVirtual,
    ParseError,
    ProtocolError,
    Refusal,
    Stale,
    Storage,
    UnknownEvent,
    UnknownFlow,
    UnknownSession,
    UnknownState,
)
from .values import (
    Advance,
    Beat,
    Change,
    Effect,
    Event,
    Firing,
    Gap,
    Hello,
    History,
    Input,
    Listed,
    Place,
    Refused,
    Session,
    SessionList,
    Snapshot,
    Source,
    Stuck,
    Timer,
)

__version__ = "0.2.0"

__all__ = [name for name, value in list(globals().items()) if isinstance(value, type)] + ["connect"]
