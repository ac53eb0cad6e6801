"""Damage done to a journal on purpose: who looks at it afterwards has to find it."""

import shutil
import sqlite3

import rowbody


def rows(state, told, older):
    """The newest change that was told is gone, and what came after it."""
    _change(state, "DELETE FROM row WHERE position >= ?", newest(state, told))


def body(state, told, older):
    """The newest change that was told is another one."""
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
    """An id was done twice."""
    _change(
        state, "UPDATE row SET id = (SELECT id FROM row AS other WHERE other.session = row.session "
        "AND id IS NOT NULL ORDER BY position LIMIT 1) WHERE position = ?", newest(state, told))


def older(state, told, older):
    """The directory is as it was some time ago."""
    shutil.rmtree(state)
    shutil.copytree(older, state)


#: What is damaged before the journal is looked at, and what behind our back: then only what the daemon
#: says when it is started again can give it away.
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
    """A database that is closed afterwards; sqlite3's own `with` only commits."""

    def __init__(self, state):
        self._database = sqlite3.connect(f"{state}/journal.db")

    def __enter__(self):
        return self._database

    def __exit__(self, *error):
        self._database.close()
