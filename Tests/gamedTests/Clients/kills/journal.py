"""Reads a journal, independently of the daemon's code."""

import os
import shutil
import sqlite3
from dataclasses import dataclass, field

import row_body
from violation import expect

#: The kinds of rows. A rest is a countdown that fired, or a request that was answered, without a change.
CHANGE, REST, REFUSAL, DAEMON = range(4)


@dataclass
class Row:
    """A row of the journal; `at` is the daemon's time in nanoseconds."""

    position: int
    kind: int
    session: str
    seq: int
    at: int
    id: str
    body: dict

    def change(self):
        """The change as the daemon sends it, but without the member `time`, which is `atMs` in another form."""
        change = {"session": self.session, "seq": self.seq, "atMs": self.at // 1_000_000}
        members = (
            "pos", "entry", "kind", "event", "source", "from", "to", "effects", "reason", "timer",
            "undone")
        change.update((name, self.body[name]) for name in members if name in self.body)
        # A message has the labels that the change set, as `labels`. A row has them as `label`; its `labels` are all labels of
        # the session.
        if "label" in self.body:
            change["labels"] = self.body["label"]
        # A row has the entry number once; a message has it in each effect.
        change["effects"] = [dict(effect, entry=change["entry"]) for effect in change["effects"]]
        return change


@dataclass
class Opening:
    """A session from its opening to its end. The same name may be opened again later."""

    #: Nanoseconds of Unix time.
    opened: int
    rows: list = field(default_factory=list)
    #: The rows with an id, by id.
    ids: dict = field(default_factory=dict)
    is_over: bool = False

    @property
    def seq(self):
        return self.rows[-1].seq


class Journal:
    """The rows of one state directory. The journal is read repeatedly; between two reads, rows may only have been added."""

    def __init__(self):
        #: The columns of each row, as they were read.
        self._columns = []
        self.rows = []
        #: The rows of the changes, by `pos`.
        self.changes = {}
        #: The openings of each session name, oldest first.
        self.openings = {}
        #: The last position that each process of the daemon has written.
        self._process_ends = []
        #: The `pos` of the newest change.
        self._pos = 0

    @property
    def process_count(self):
        """The number of processes whose rows have been read."""
        return len(self._process_ends)

    def read(self, state, copy):
        """Copies the journal of a state directory to the folder `copy`, and reads the copy, so that the original files
        stay unchanged."""
        shutil.rmtree(copy, ignore_errors=True)
        os.mkdir(copy)
        for name in ("journal.db", "journal.db-wal"):
            if os.path.exists(f"{state}/{name}"):
                shutil.copy(f"{state}/{name}", copy)
        database = sqlite3.connect(f"{copy}/journal.db")
        try:
            (result,) = database.execute("PRAGMA quick_check").fetchone()
            read = database.execute(
                "SELECT position, kind, session, seq, at, id, body FROM row ORDER BY position"
            ).fetchall()
        finally:
            database.close()
        expect(result == "ok", "SQLite finds the file damaged", result)
        earlier_count = len(self._columns)
        expect(read[:earlier_count] == self._columns, "earlier rows are missing or changed")
        self._columns = read
        for columns in read[earlier_count:]:
            self._add(Row(*columns[:-1], row_body.decode(columns[-1])))
        self._process_ends.append(len(read))

    def end_of_earlier_rows(self, newest_is_read):
        """The last position before the rows of the newest process; `newest_is_read` says whether those have been read."""
        ends = self._process_ends[:-1] if newest_is_read else self._process_ends
        return ends[-1] if ends else 0

    def process_of(self, row):
        """The number of the process of the daemon that wrote a row, from 0."""
        return next(number for number, end in enumerate(self._process_ends) if row.position <= end)

    def open_sessions(self):
        """The sessions that are open now."""
        return {
            name: openings[-1] for name, openings in self.openings.items() if not openings[-1].is_over}

    # rules for every journal

    def _add(self, row):
        last = self.rows[-1] if self.rows else None
        expect(row.position == len(self.rows) + 1, "positions have a gap", row)
        expect(last is None or row.at >= last.at, "the clock went back", last, row)
        if row.kind == DAEMON:
            expect(row.body["kind"] in ("start", "flow"), "an unknown row of the daemon", row)
        elif row.kind == CHANGE:
            self._add_change(row)
        else:
            self._add_rest(row)
        self.rows.append(row)

    def _add_change(self, row):
        self._pos += 1
        expect(row.body["pos"] == self._pos, f"pos has a gap: {self._pos} was next", row)
        openings = self.openings.setdefault(row.session, [])
        if row.body["kind"] == "open":
            expect(not openings or openings[-1].is_over, "opened twice", row)
            expect(row.seq == 1, "an opening whose seq is not 1", row)
            openings.append(Opening(int(row.body["openedNs"])))
        else:
            expect(openings and not openings[-1].is_over, "a change of a session that is not open", row)
            self._check_follows(openings[-1], row)
        opening = openings[-1]
        if row.id is not None:
            expect(row.id not in opening.ids, f"two rows have the id {row.id}", row)
            opening.ids[row.id] = row
        opening.rows.append(row)
        opening.is_over = row.body["kind"] == "close"
        self.changes[self._pos] = row

    def _check_follows(self, opening, row):
        before = opening.rows[-1]
        expect(row.seq == opening.seq + 1, "seq has a gap", before, row)
        expect(row.body["from"] == before.body["to"], "a change does not begin in the last state", before, row)
        # A change that follows from another change in the same call has the source of that change. So if its source is a timer,
        # this timer need not be one of the session's state.
        if row.body["source"]["kind"] == "timer" and "follows" not in row.body:
            self._check_not_early(before, row, row.body["event"]["name"])

    def _add_rest(self, row):
        """Checks and adds a rest, such as the row of a countdown whose signal was refused."""
        expect(row.kind == REST, "an unexpected kind of row", row)
        opening = self.openings[row.session][-1]
        expect(row.seq == opening.seq and not opening.is_over, "a row with a wrong seq", row)
        if "fired" in row.body:
            self._check_not_early(opening.rows[-1], row, row.body["fired"])
        opening.rows.append(row)

    def _check_not_early(self, before, row, fires):
        due = [timer for timer in before.body["timers"] if timer["fires"] == fires]
        expect(due and "untilNs" in due[0], f"{fires} fired, but was not set", before, row)
        expect(row.at >= int(due[0]["untilNs"]), f"{fires} fired early", before, row)
