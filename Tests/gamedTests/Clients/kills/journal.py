"""Reads a journal, independently of the daemon's code."""

import os
import shutil
import sqlite3
from dataclasses import dataclass, field

import rowbody
from violation import expect

CHANGE, REST, REFUSAL, DAEMON = range(4)


@dataclass
class Row:
    position: int
    kind: int
    session: str
    seq: int
    at: int
    id: str
    body: dict

    def change(self):
        """The change as the daemon sends it, except `time`, which has the same instant as `atMs`."""
        told = {"session": self.session, "seq": self.seq, "atMs": self.at // 1_000_000}
        members = (
            "pos", "entry", "kind", "event", "source", "from", "to", "effects", "reason", "timer",
            "undone")
        told.update((name, self.body[name]) for name in members if name in self.body)
        # The `labels` of a row are all labels of the session.
        if "label" in self.body:
            told["labels"] = self.body["label"]
        # A row has the entry once, a message in each effect.
        told["effects"] = [dict(effect, entry=told["entry"]) for effect in told["effects"]]
        return told


@dataclass
class Stay:
    """A session from its opening to its end. Other sessions may have the same name later."""

    opened: int
    rows: list = field(default_factory=list)
    ids: dict = field(default_factory=dict)
    is_over: bool = False

    @property
    def seq(self):
        return self.rows[-1].seq


class Journal:
    """The rows of one state directory. They are read repeatedly, and each time rows may only have been added."""

    def __init__(self):
        self._raw = []
        self.rows = []
        self.changes = {}
        #: The stays of each session, oldest first.
        self.stays = {}
        #: The last position of each process of the daemon.
        self.heads = []
        self._pos = 0

    def read(self, state, scratch):
        """Reads a copy, so that the daemon finds its files unchanged."""
        shutil.rmtree(scratch, ignore_errors=True)
        os.mkdir(scratch)
        for name in ("journal.db", "journal.db-wal"):
            if os.path.exists(f"{state}/{name}"):
                shutil.copy(f"{state}/{name}", scratch)
        database = sqlite3.connect(f"{scratch}/journal.db")
        try:
            (verdict,) = database.execute("PRAGMA quick_check").fetchone()
            raw = database.execute(
                "SELECT position, kind, session, seq, at, id, body FROM row ORDER BY position"
            ).fetchall()
        finally:
            database.close()
        expect(verdict == "ok", "SQLite finds the file damaged", verdict)
        known = len(self._raw)
        expect(raw[:known] == self._raw, "rows that were there before are gone, or are others")
        self._raw = raw
        for columns in raw[known:]:
            self._take(Row(*columns[:-1], rowbody.decode(columns[-1])))
        self.heads.append(len(raw))

    def unread_after(self, is_read):
        """The last position of the earlier processes, without the newest one if it has been read."""
        heads = self.heads[:-1] if is_read else self.heads
        return heads[-1] if heads else 0

    def life(self, row):
        """The number of the process of the daemon that wrote a row, from 0."""
        return next(life for life, head in enumerate(self.heads) if row.position <= head)

    def open_stays(self):
        """The sessions that are open now."""
        return {
            name: stays[-1] for name, stays in self.stays.items() if not stays[-1].is_over}

    # rules for every journal

    def _take(self, row):
        last = self.rows[-1] if self.rows else None
        expect(row.position == len(self.rows) + 1, "positions have a gap", row)
        expect(last is None or row.at >= last.at, "the clock went back", last, row)
        if row.kind == DAEMON:
            expect(row.body["kind"] in ("start", "flow"), "a strange deed of the daemon's", row)
        elif row.kind == CHANGE:
            self._take_change(row)
        else:
            self._take_rest(row)
        self.rows.append(row)

    def _take_change(self, row):
        self._pos += 1
        expect(row.body["pos"] == self._pos, f"pos has a gap: {self._pos} was next", row)
        stays = self.stays.setdefault(row.session, [])
        if row.body["kind"] == "open":
            expect(not stays or stays[-1].is_over, "opened twice", row)
            expect(row.seq == 1, "an opening that is not the first", row)
            stays.append(Stay(int(row.body["openedNs"])))
        else:
            expect(stays and not stays[-1].is_over, "a change of a session that is not there", row)
            self._follows(stays[-1], row)
        stay = stays[-1]
        if row.id is not None:
            expect(row.id not in stay.ids, f"the id {row.id} was done twice", row)
            stay.ids[row.id] = row
        stay.rows.append(row)
        stay.is_over = row.body["kind"] == "close"
        self.changes[self._pos] = row

    def _follows(self, stay, row):
        before = stay.rows[-1]
        expect(row.seq == stay.seq + 1, "seq has a gap", before, row)
        expect(row.body["from"] == before.body["to"], "it begins somewhere else", before, row)
        # A change that follows from another one has the same source.
        if row.body["source"]["kind"] == "timer" and "follows" not in row.body:
            self._not_early(before, row, row.body["event"]["name"])

    def _take_rest(self, row):
        """Checks rows other than changes, such as a countdown whose signal was refused."""
        expect(row.kind == REST, "a row that nobody asked for", row)
        stay = self.stays[row.session][-1]
        expect(row.seq == stay.seq and not stay.is_over, "a row out of order", row)
        if "fired" in row.body:
            self._not_early(stay.rows[-1], row, row.body["fired"])
        stay.rows.append(row)

    def _not_early(self, before, row, fires):
        due = [timer for timer in before.body["timers"] if timer["fires"] == fires]
        expect(due and "untilNs" in due[0], f"{fires} fired and was not set", before, row)
        expect(row.at >= int(due[0]["untilNs"]), f"{fires} fired early", before, row)
