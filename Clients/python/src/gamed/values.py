"""What the daemon returns, as values. Each value has all members of its JSON in `raw`, also those of a newer daemon."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import ProtocolError

T = TypeVar("T", bound="Value")
Reader = Callable[[Any], Any]


def _camel(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in others)


def _reader(hint: Any) -> Optional[Reader]:
    """Reads the JSON of a field with this type: objects become values, and arrays become tuples. None if the JSON stays."""
    if isinstance(hint, type) and issubclass(hint, Value):
        return hint.read
    if get_args(hint) == (Change, Refused):
        return lambda json: (Refused if json.get("kind") == "refused" else Change).read(json)
    if get_origin(hint) is Union:
        readers = [reader for reader in map(_reader, get_args(hint)) if reader is not None]
        return readers[0] if readers else None
    if get_origin(hint) is tuple:
        element = _reader(get_args(hint)[0])
        return tuple if element is None else lambda json: tuple(map(element, json))
    return None


#: The readers of the fields of each kind of value that was read.
_known_readers: Dict[Any, Dict[str, Optional[Reader]]] = {}


def _readers(kind: Type["Value"]) -> Dict[str, Optional[Reader]]:
    if kind not in _known_readers:
        _known_readers[kind] = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
    return _known_readers[kind]


@dataclass(frozen=True)
class Value:
    """A JSON object of the protocol. A field has the name of its member, with underscores: `atMs` is `at_ms`."""

    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def read(cls: Type[T], json: Any) -> T:
        """Reads the JSON of this value."""
        if not isinstance(json, dict):
            raise ProtocolError(f"{cls.__name__}: expected an object, but there is {json!r}")
        members = {}
        readers = _readers(cls)
        for member in fields(cls):
            if member.name == "raw":
                continue
            name = _camel(member.name)
            if name in json:
                read, value = readers[member.name], json[name]
                members[member.name] = value if read is None or value is None else read(value)
            elif member.default is MISSING:
                raise ProtocolError(f"{cls.__name__}: the member {name} is missing in {json!r}")
        return cls(raw=json, **members)


@dataclass(frozen=True)
class Place(Value):
    """A state with its data."""

    state: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Event(Value):
    """An event with its arguments."""

    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class Source(Value):
    """The sender of an event or of a command."""

    kind: str
    peer: Optional[Mapping[str, Any]] = None
    as_: Optional[str] = None


@dataclass(frozen=True)
class Effect(Value):
    """What clients are asked to do. A response to it names its `entry`, so that a late response is refused."""

    name: str
    entry: int
    args: Optional[Mapping[str, Any]] = None


@dataclass(frozen=True)
class Timer(Value):
    """A timer of the present state. Which of the times it has depends on its kind."""

    fires: str
    kind: str
    remaining_ms: Optional[int] = None
    total_ms: Optional[int] = None
    spent_ms: Optional[int] = None
    paused: bool = False
    overtime: bool = False
    fired: bool = False
    declared_paused: bool = False
    of: Optional[str] = None
    left_ms: Optional[int] = None


@dataclass(frozen=True)
class Session(Value):
    """A session at an instant."""

    session: str
    flow: str
    state: str
    data: Mapping[str, Any]
    final: bool
    seq: int
    entry: int
    opened_ms: int
    deferred: int
    accepts: Tuple[str, ...]
    timers: Tuple[Timer, ...]
    #: A number, or a text for a flow file.
    version: Any = None
    settings: Optional[Mapping[str, Any]] = None
    labels: Optional[Mapping[str, str]] = None
    say: Optional[Mapping[str, Any]] = None
    clock: Any = None
    show: Optional[Mapping[str, Any]] = None
    stuck: bool = False
    #: The language of the texts, if the flow declares several languages.
    language: Optional[str] = None


@dataclass(frozen=True)
class Change(Value):
    """A change of a session. `entry` identifies the visit of the state in which the session is then."""

    session: str
    seq: int
    pos: int
    entry: int
    kind: str
    event: Optional[Event]
    source: Source
    from_: Optional[Place]
    to: Optional[Place]
    effects: Tuple[Effect, ...]
    at_ms: int
    time: str
    #: Whether the event is kept for a later state.
    deferred: bool = False
    #: A text for `goto`, and the refusal of a deferred event for `drop`.
    reason: Any = None
    timer: Optional[Mapping[str, Any]] = None
    labels: Optional[Mapping[str, str]] = None
    say: Optional[str] = None
    for_ms: Optional[int] = None
    versions: Optional[Mapping[str, Any]] = None
    undone: Optional[Mapping[str, Any]] = None
    show: Optional[Mapping[str, Any]] = None
    message: Optional[Mapping[str, Any]] = None
    again: bool = False


@dataclass(frozen=True)
class Refused(Value):
    """An event that was refused, in a watch of the topic `refusals` and in a history."""

    session: str
    source: Source
    error: Mapping[str, Any]
    at_ms: int
    time: str
    event: Optional[Event] = None
    #: In a history: the number of the change before the refusal.
    seq: Optional[int] = None


@dataclass(frozen=True)
class Beat(Value):
    """An event that changed nothing, such as the tick of a pendulum."""

    session: str
    entry: int
    event: Optional[Event]
    source: Source
    from_: Place
    to: Place
    timers: Tuple[Timer, ...]
    missed: int
    at_ms: int
    time: str


@dataclass(frozen=True)
class Input(Value):
    """An input of a device that no `map` line matches."""

    source: str
    kind: str
    input: Any
    at_ms: int
    time: str
    device: Optional[str] = None


@dataclass(frozen=True)
class Stuck(Value):
    """The session stays in the state longer than usual."""

    session: str
    entry: int
    state: str
    at_ms: int
    time: str


@dataclass(frozen=True)
class Snapshot:
    """The present state, at the beginning of a watch, and again if the daemon has lost its data."""

    sessions: Tuple[Session, ...]
    #: Whether there are more sessions than these.
    more: bool
    #: Identifies the daemon's data: the numbers of another instance are unrelated.
    instance: str


@dataclass(frozen=True)
class Gap:
    """The daemon no longer has the missed changes. The sessions are as they are now."""

    sessions: Tuple[Session, ...]
    more: bool


@dataclass(frozen=True)
class Listed(Value):
    """A session in a list."""

    session: str
    flow: str
    state: str
    seq: int
    labels: Optional[Mapping[str, str]] = None
    stuck: bool = False


@dataclass(frozen=True)
class SessionList(Value):
    """A page of the list of sessions."""

    sessions: Tuple[Listed, ...]
    more: bool


@dataclass(frozen=True)
class Firing(Value):
    """A timer that fired while the virtual clock advanced."""

    session: str
    fires: str
    at_ms: int


@dataclass(frozen=True)
class Advance(Value):
    """The result of `advance`."""

    fired: Tuple[Firing, ...]
    now_ms: int
    more: bool


@dataclass(frozen=True)
class History(Value):
    """A page of a session's history, newest first. `next` has the parameters of the next page."""

    records: Tuple[Union[Change, Refused], ...]
    more: bool
    next: Optional[Mapping[str, Any]] = None


@dataclass(frozen=True)
class Hello(Value):
    """What the daemon says about itself."""

    name: str
    version: str
    protocol: int
    instance: str
    clock: str
    limits: Mapping[str, int]
    flows: Tuple[str, ...]
    methods: Tuple[str, ...]
    node: Optional[str] = None
    store: str = "none"


#: The notifications of a watch, by their methods.
NOTIFICATIONS: Dict[str, Type[Value]] = {"change": Change, "beat": Beat, "refused": Refused, "input": Input, "stuck": Stuck}
