"""Damages a journal on purpose. The checks must find the damage."""

import shutil
import sqlite3

import row_body


def remove_rows(state, messages, copy):
    """Removes the newest acknowledged change, and all rows after it."""
    _change(state, "DELETE FROM row WHERE position >= ?", newest_position(state, messages))


def change_body(state, messages, copy):
    """Changes the name of the event in the newest acknowledged change."""
    position = newest_position(state, messages)
    with _open(state) as database:
        (old,) = database.execute(
            "SELECT body FROM row WHERE position = ?", (position,)).fetchone()
        name = row_body.decode(old)["event"]["name"].encode()
        # The encoded name begins with its length. So the replacement does not change a longer string with the same beginning,
        # such as the name of a state.
        encoded_name = bytes([len(name) << 1]) + name
        new = old.replace(encoded_name, encoded_name[:-1] + bytes([name[-1] ^ 1]))
        database.execute("UPDATE row SET body = ? WHERE position = ?", (new, position))
        database.commit()


def repeat_id(state, messages, copy):
    """Gives the newest acknowledged change the oldest id of its session."""
    _change(
        state, "UPDATE row SET id = (SELECT id FROM row AS other WHERE other.session = row.session "
        "AND id IS NOT NULL ORDER BY position LIMIT 1) WHERE position = ?", newest_position(state, messages))


def restore_copy(state, messages, copy):
    """Replaces the state directory by its older copy in the folder `copy`."""
    shutil.rmtree(state)
    shutil.copytree(copy, state)


#: Each kind of damage, and whether it is done only after the checks have read the journal (`checked`). Then only the messages
#: of the restarted daemon show the damage.
KINDS = {
    "rows": (remove_rows, False), "body": (change_body, False), "repeated-id": (repeat_id, False),
    "checked-rows": (remove_rows, True), "older": (restore_copy, False),
    "checked-older": (restore_copy, True),
}


def newest_position(state, messages):
    """The position of the newest acknowledged change. Only changes with an id in sessions that stay open are considered."""
    request = next(reversed(messages.acknowledged_requests.values()))
    with _open(state) as database:
        (position,) = database.execute(
            "SELECT position FROM row WHERE kind = 0 AND id = ?", (request.params["id"],)).fetchone()
    return position


def _change(state, statement, position):
    with _open(state) as database:
        database.execute(statement, (position,))
        database.commit()


class _open:
    """Opens the journal of a state directory, and closes it at the end of `with`. The `with` of sqlite3 only commits."""

    def __init__(self, state):
        self._database = sqlite3.connect(f"{state}/journal.db")

    def __enter__(self):
        return self._database

    def __exit__(self, *error):
        self._database.close()
