"""Checks the histories of sessions against what clients have sent. Knows only the protocol.

Each request is an event with a tag that no other request has. `Operations` records each request: its session, its tag, when it
was sent first, when its answer arrived, and the `seq` in the answer. A request without an answer may have been executed or not.

`differences` counts:
- `lost`: acknowledged requests that are not in the history, or not as the change that the answer names
- `doubled`: requests that are in the history more than once
- `unsent`: changes in the history that nobody has sent
- `disordered`: pairs of requests of one session that are in the wrong order in the history: the second was sent after the
  first was answered
"""
import copy
import itertools


class Operations:
    """The requests of all clients."""

    def __init__(self, clock):
        self.clock, self.operations = clock, {}
        self.numbers = itertools.count(1)

    def begin(self, session):
        """Records that a request is sent for the first time, and returns its tag."""
        tag = f"t{next(self.numbers)}"
        self.operations[tag] = {"session": session, "start": self.clock(), "end": None, "seq": None}
        return tag

    def end(self, tag, seq):
        """Records the answer. `seq` is the number of the change, or None if the request was refused."""
        self.operations[tag].update(end=self.clock(), seq=seq)


def tags(records):
    """The tag and the seq of each change of a history that a request has made."""
    changes = []
    for record in records:
        arguments = (record.get("event") or {}).get("args") or {}
        if record["kind"] != "refused" and "tag" in arguments:
            changes.append((arguments["tag"], record["seq"]))
    return changes


def differences(operations, histories):
    """Counts the differences. `histories` are the records of each session, oldest first."""
    counts = {"lost": 0, "doubled": 0, "unsent": 0, "disordered": 0}
    for session, records in histories.items():
        sent = {tag: each for tag, each in operations.items() if each["session"] == session}
        changes = tags(records)
        seq_of = dict(changes)
        counts["doubled"] += len(changes) - len(seq_of)
        counts["unsent"] += sum(tag not in sent for tag in seq_of)
        counts["lost"] += sum(each["seq"] is not None and seq_of.get(tag) != each["seq"] for tag, each in sent.items())
        counts["disordered"] += disordered_pairs(sent, changes)
    return counts


def disordered_pairs(sent, changes):
    """In the order of the history, no request may begin after a later one has ended: counts those that do."""
    count, earliest_end = 0, float("inf")
    for tag, _ in reversed(changes):
        operation = sent.get(tag)
        if operation is None:
            continue
        count += operation["start"] > earliest_end
        if operation["end"] is not None:
            earliest_end = min(earliest_end, operation["end"])
    return count


def planted(operations, histories):
    """Plants a fault of each kind in a copy of the histories, and returns how many faults of its kind are found in each."""
    found = {}
    session = max(histories, key=lambda name: len(tags(histories[name])))
    answered = [tag for tag, _ in tags(histories[session]) if operations[tag]["seq"] is not None]
    for fault in ("lost", "doubled", "unsent", "disordered"):
        changed = copy.deepcopy(histories)
        records = changed[session]
        indices = {(record.get("event") or {}).get("args", {}).get("tag"): number
                   for number, record in enumerate(records) if record.get("event")}
        if fault == "lost":
            del records[indices[answered[0]]]
        elif fault == "doubled":
            records.append(dict(records[indices[answered[0]]], seq=records[-1]["seq"] + 1))
        elif fault == "unsent":
            record = copy.deepcopy(records[indices[answered[0]]])
            record["event"]["args"]["tag"] = "nobody"
            records.append(dict(record, seq=records[-1]["seq"] + 1))
        else:
            first, last = indices[answered[0]], indices[answered[-1]]
            records[first], records[last] = records[last], records[first]
        found[fault] = differences(operations, changed)[fault]
    return found
