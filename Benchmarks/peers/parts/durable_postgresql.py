"""Durable transitions of 64 clients with one request in flight each, against PostgreSQL with one function call a transaction.

gamed: `send` with a state directory: the reply comes when the change is on the disk.
PostgreSQL: the function checks the state as the guard, sets state, number and deadline of the session, and inserts the change.
It notifies nobody: NOTIFY takes a lock until the commit, so that transactions would commit one after the other. Nobody fires
the timers. pgbench is the client, with prepared statements. The servers and the clients may use all cores.
"""
from ..clients import measure_clients
from ..rows import Row
from ..servers.gamed import Gamed, open_sessions, sends
from ..servers.postgresql import PostgreSQL

TITLE = "Durable: 64 clients with one in flight each (PostgreSQL: one function call a transaction)"
ROWS = [
    Row("requests in a second", "1/s", "gamed rate", "peer rate", at_least=2.2, peer="PostgreSQL"),
    Row("server CPU for a request", "us", "gamed cpu", "peer cpu", peer="PostgreSQL"),
]
SCHEMA = """
CREATE TABLE session (name text PRIMARY KEY, state text NOT NULL, seq bigint NOT NULL, deadline bigint);
CREATE INDEX ON session (deadline) WHERE deadline IS NOT NULL;
CREATE TABLE change (session text, seq bigint, old text NOT NULL, new text NOT NULL, at timestamptz NOT NULL,
    PRIMARY KEY (session, seq));
CREATE FUNCTION transition(of_session text, old_state text, new_state text, new_deadline bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE number bigint;
BEGIN
    UPDATE session SET state = new_state, seq = seq + 1, deadline = new_deadline
        WHERE name = of_session AND state = old_state RETURNING seq INTO number;
    IF NOT FOUND THEN RAISE EXCEPTION 'noTransition'; END IF;
    INSERT INTO change VALUES (of_session, number, old_state, new_state, now());
    RETURN number;
END $$;
INSERT INTO session SELECT 's' || number, 'introduction', 1 FROM generate_series(0, 63) number;
"""
# The variable is kept from one transaction to the next, so each client makes the two transitions in turn.
TRANSITIONS = r"""
\set turn 1 - :turn
\if :turn
SELECT transition('s' || :client_id, 'introduction', 'help', 1764170000000);
\else
SELECT transition('s' || :client_id, 'help', 'introduction', NULL);
\endif
"""


def measure(bench):
    with PostgreSQL(bench) as database, Gamed(bench, "--state-dir", bench.new_folder() + "/state", core=None) as gamed:
        database.execute(SCHEMA)
        open_sessions(bench, gamed, 64)
        count = bench.count(500, 2)
        while True:
            samples = {}
            samples["gamed rate"], samples["gamed cpu"] = measure_clients(bench, gamed, 2 * count, sends("s%d"))
            samples["peer rate"], samples["peer cpu"] = database.pgbench(bench, TRANSITIONS, "-D", "turn=0", "-t", count)
            yield samples
