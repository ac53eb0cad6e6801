"""Decodes the body of a journal row, independently of the daemon's code. docs/journal.md has the format."""

#: The formats that the reader knows. A body of the third begins with a front, if it is about a session's state, and may have
#: fields that a reader skips.
FORMATS = (2, 3)
CHANGE, REST, REFUSAL, START, ADVANCE, QUARANTINE, FORGOTTEN, FLOW, DELIVERIES, CLOCK = range(1, 11)
#: Fields with this number or a greater one are skipped if they are unknown, and their texts are not remembered.
FIRST_SKIPPABLE = 64
SCOPES = ("operators", "state", "game")
SOURCES = ("unix", "tcp", "web", "terminal", "bluetooth", "evdev", "timer")
STEPS = (
    "open", "enter", "keep", "defer", "drop", "goto", "timer", "close", "label", "say", "move", "undo")
ACTIONS = ("pause", "resume", "extend", "restart", "shorten", "set")
OUTCOMES = ("started", "delivered", "givenUp", "withheld", "accepted")
#: The names of some types of rows, as the export has them in its member `kind`.
KINDS = {START: "start", ADVANCE: "advance", FLOW: "flow", FORGOTTEN: "forgotten", DELIVERIES: "delivery", CLOCK: "clock"}
#: A string of a body can be a reference to an earlier string. Only this number of strings at the beginning of the body can be
#: referred to.
REMEMBERED = 32


def decode(body):
    """The content of a body, with the names of `gamectl journal export`."""
    return _Reader(body).body()


class _Reader:
    def __init__(self, body):
        self._body, self._offset, self._strings, self._remembers = body, 0, [], True

    def _byte(self):
        self._offset += 1
        return self._body[self._offset - 1]

    def _unsigned(self):
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def _signed(self):
        number = self._unsigned()
        return number >> 1 ^ -(number & 1)

    def _string(self):
        head = self._unsigned()
        if head & 1:
            return self._strings[head >> 1]
        end = self._offset + (head >> 1)
        text = self._body[self._offset:end].decode()
        self._offset = end
        if self._remembers and len(self._strings) < REMEMBERED:
            self._strings.append(text)
        return text

    def _value(self):
        kind = self._byte()
        if kind < 3:
            return (None, False, True)[kind]
        if kind == 5:
            return [self._value() for _ in range(self._unsigned())]
        return {3: self._signed, 4: self._string, 6: self._members, 7: self._string}[kind]()

    def _members(self):
        members = {}
        for _ in range(self._unsigned()):
            name = self._string()
            members[name] = self._value()
        return members

    # the parts of a body

    def body(self):
        version, kind = self._byte(), self._byte()
        if version not in FORMATS:
            raise ValueError(f"a body of version {version}")
        content = self._front() if version == 3 and kind in (CHANGE, REST) else {}
        while self._offset < len(self._body):
            self._framed_field(content)
        if "timers" in content:
            content.setdefault("waiting", [])
        if kind in KINDS:
            content["kind"] = KINDS[kind]
        if kind == REST:
            content["rest"] = True
        return content

    def _front(self):
        """What a list of sessions needs. The export has only the time of the entry."""
        end = self._unsigned() + self._offset
        self._string(), self._unsigned()
        entered, _deadline = self._signed(), self._signed()
        # A later version may have added something.
        self._offset = end
        return {} if entered < 0 else {"enteredNs": entered}

    def _framed_field(self, content):
        """Reads a field. If the body states the length of the field, checks that the field has this length."""
        head = self._unsigned()
        field, end = head >> 1, None
        if head & 1:
            length = self._unsigned()
            end = self._offset + length
        self._remembers = field < FIRST_SKIPPABLE
        if field >= FIRST_SKIPPABLE:
            self._skippable_field(field, content, end)
        else:
            self._read_field(field, content)
        self._remembers = True
        if end not in (None, self._offset):
            raise ValueError(f"field {field} ends at {self._offset}, not at {end}")

    def _skippable_field(self, field, content, end):
        if field == 64:
            content["say"]["scope"] = SCOPES[self._unsigned()]
        elif field in (65, 66):
            opening = content.setdefault("opening", {})
            opening["labels" if field == 65 else "settings"] = self._members()
        elif field == 67 and self._offset == end:
            content["messageEnded"] = True
        elif field == 67:
            message = self._message()
            scope = SCOPES[self._unsigned()]
            content["messageShown"] = message | ({} if scope == "operators" else {"scope": scope})
        elif end is None:
            self._unsigned()
        else:
            self._offset = end

    def _message(self):
        message = {"text": self._string(), "seq": self._unsigned()}
        until = self._signed()
        return message if until < 0 else message | {"untilNs": until}

    def _read_field(self, field, content):
        # The names of the fields, by number, for each type of value.
        unsigned = {
            1: "pos", 5: "follows", 6: "ids", 7: "entry", 16: "lastPos", 22: "omittedBytes", 24: "code",
            27: "dropped", 31: "more", 34: "fired", 36: "openings"}
        signed = {3: "openedNs", 17: "lastNs", 28: "nowNs", 29: "lastSignNs", 32: "byNs", 12: "version",
            41: "correctionNs"}
        texts = {2: "flow", 18: "fired", 25: "message", 33: "reason", 37: "version"}
        members = {13: "settings", 14: "labels", 26: "data", 30: "notes"}
        if field in unsigned:
            content[unsigned[field]] = self._unsigned()
        elif field in signed:
            content[signed[field]] = self._signed()
        elif field in texts:
            content[texts[field]] = self._string()
        elif field in members:
            content[members[field]] = self._members()
        else:
            self._parts(field, content)

    def _parts(self, field, content):
        if field == 4:
            content.update(self._step())
        elif field == 8:
            content["timers"] = [self._timer() for _ in range(self._unsigned())]
        elif field == 9:
            content["waiting"] = [
                {"event": self._event(), "source": self._source()} for _ in range(self._unsigned())]
        elif field == 10:
            content["place"] = self._state()
        elif field in (11, 20):
            content.update(self._command())
        elif field == 35:
            # The positions of the rows that `journal forget` has erased. Each position is written as its difference from the
            # previous position.
            positions = []
            for _ in range(self._unsigned()):
                positions.append(self._unsigned() + (positions[-1] if positions else 0))
            # A backup of a PostgreSQL database has no positions of erased rows.
            first, last = (positions[0], positions[-1]) if positions else (0, 0)
            content.update({"from": first, "to": last, "count": len(positions)})
        elif field == 40:
            content["outputs"] = [self._delivery() for _ in range(self._unsigned())]
        elif field == 38:
            end = self._unsigned() + self._offset
            content["text"] = self._body[self._offset:end].decode()
            self._offset = end
        elif field == 39:
            content["say"] = self._message()
        elif field == 19:
            content["answer"] = self._step()
        elif field == 21:
            content["event"] = self._event()
        elif field == 23:
            content["source"] = self._source()
        else:
            raise ValueError(f"field {field} is unknown")

    def _event(self):
        name = self._string()
        return {"name": name, "args": self._members()}

    def _state(self):
        state = self._string()
        return {"state": state, "data": self._members()}

    def _source(self):
        code = self._byte()
        source = {"kind": SOURCES[code - 1] if code else self._string()}
        # Two bits for the kind of the peer, and one that tells whether a name follows.
        flags = self._byte()
        if flags & 3 == 1:
            source["peer"] = {
                "pid": self._signed(), "uid": self._unsigned(), "gid": self._unsigned()}
        elif flags & 3:
            source["peer"] = {("address", "device")[(flags & 3) - 2]: self._string()}
        if flags & 4:
            source["as"] = self._string()
        return source

    def _step(self):
        step = {"kind": STEPS[self._byte() - 1]}
        # A bit for each part that follows.
        flags = self._byte()
        step["source"] = self._source()
        step["event"] = self._event() if flags & 1 else None
        step["from"] = self._state() if flags & 2 else None
        step["to"] = self._state() if flags & 4 else None
        step["effects"] = []
        for _ in range(self._unsigned() if flags & 8 else 0):
            effect = {"name": self._string()}
            arguments = self._members()
            step["effects"].append(effect | ({"args": arguments} if arguments else {}))
        if flags & 16:
            step["missed"] = self._unsigned()
        return step

    def _command(self):
        kind = self._byte()
        if kind < 2:
            return {"reason": self._string()} if kind else {}
        if kind == 4:
            return {"label": self._members()}
        if kind in (5, 6):
            return {"message": self._string()} | ({"forNs": self._signed()} if kind == 6 else {})
        if kind == 7:
            return {"versions": {"from": self._string(), "to": self._string()}}
        if kind == 8:
            return {"again": True}
        if kind in (9, 10):
            undone = {"from": self._unsigned(), "to": self._unsigned()}
            return {"undone": undone | {"clocks": "still" if kind == 9 else "run"}}
        timer = {"fires": self._string(), "action": ACTIONS[self._byte() - 1]}
        if kind == 3:
            name = "toMs" if timer["action"] == "set" else "byMs"
            timer[name] = self._signed() // 1_000_000
        return {"timer": timer}

    def _delivery(self):
        delivery = {
            "pos": self._unsigned(), "line": f"{self._unsigned():x}", "occasion": self._unsigned(),
            "number": self._unsigned(), "outcome": OUTCOMES[self._unsigned() - 1]}
        if delivery["outcome"] == "accepted":
            delivery["session"] = self._string()
        return delivery

    def _timer(self):
        timer = {"fires": self._string(), "totalNs": self._signed()}
        if self._byte():
            return timer | {"leftNs": self._signed()}
        timer["untilNs"] = self._signed()
        # The timer's order among the timers with the same deadline. The checks do not use the order.
        self._unsigned()
        return timer
