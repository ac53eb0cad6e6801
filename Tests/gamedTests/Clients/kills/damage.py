"""Damages a journal on purpose. The checks must find the damage."""

import shutil
import sqlite3

import rowbody


def rows(state, told, older):
    """Removes the newest change that the daemon has sent, and all rows after it."""
    _change(state, "DELETE FROM row WHERE position >= ?", newest(state, told))


def body(state, told, older):
    """Replaces the newest change that the daemon has sent by another one."""
    position = newest(state, told)
    with _open(state) as database:
        (old,) = database.execute(
            "SELECT body FROM row WHERE position = ?", (position,)).fetchone()
        said = rowbody.decode(old)
        text = (said["event"] or {"name": said["flow"]})["name"].encode()
        new = old.replace(text, text[:-1] + bytes([text[-1] ^ 1]))
        database.execute("UPDATE row SET body = ? WHERE position = ?", (new, position))
        database.commit()


def twice(state, told, older):
    """Gives an id to a second change of its session."""
    _change(
        state, "UPDATE row SET id = (SELECT id FROM row AS other WHERE other.session = row.session "
        "AND id IS NOT NULL ORDER BY position LIMIT 1) WHERE position = ?", newest(state, told))


def older(state, told, older):
    """Replaces the directory by an older copy."""
    shutil.rmtree(state)
    shutil.copytree(older, state)


#: Each kind of damage, and whether it happens after the journal has been read. Then only the messages of the
#: restarted daemon can reveal it.
KINDS = {
    "rows": (rows, False), "body": (body, False), "twice": (twice, False),
    "rows-behind": (rows, True), "older": (older, False), "older-behind": (older, True),
}


def newest(state, told):
    """The position of the newest change with an id that was acknowledged."""
    asked = next(reversed(told.answers.values()))
    with _open(state) as database:
        (position,) = database.execute(
            "SELECT position FROM row WHERE kind = 0 AND id = ?", (asked.params["id"],)).fetchone()
    return position


def _change(state, statement, position):
    with _open(state) as database:
        database.execute(statement, (position,))
        database.commit()


class _open:
    """Opens a database, and closes it at the end of `with`. The `with` of sqlite3 only commits."""

    def __init__(self, state):
        self._database = sqlite3.connect(f"{state}/journal.db")

    def __enter__(self):
        return self._database

    def __exit__(self, *error):
        self._database.close()
