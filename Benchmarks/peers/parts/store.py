"""Durable sends through PostgreSQL, one node, against pgbench, whose 64 clients insert a single row in each transaction.

gamed: 64 clients with one `send` in flight each; the node writes the changes that arrive meanwhile in one transaction.
pgbench: the row has the columns and keys of gamed's table.
"""
from ..clients import measure_clients
from ..rows import Row
from ..servers.gamed import Gamed, open_sessions, sends
from ..servers.postgresql import PostgreSQL

TITLE = "Sends through PostgreSQL, 64 clients with one in flight each (pgbench: single-row inserts)"
ROWS = [Row("requests in a second", "1/s", "gamed", "pgbench", at_least=1.5, peer="pgbench")]
INSERT = r"""
\set room random(1, 64)
INSERT INTO single SELECT 0, nextval('place'), 0, 'room-' || :room, 1, 1, 1, 1, 1, NULL, NULL, 1, '\x00'::bytea || decode(repeat('ab', 100), 'hex');
"""


def measure(bench):
    with PostgreSQL(bench) as database:
        url = database.prepare_for_gamed(bench)
        database.execute("CREATE TABLE single (LIKE gamed_row INCLUDING ALL)", "CREATE SEQUENCE place", database="rooms")
        with Gamed(bench, "--store", url, core=None) as gamed:
            open_sessions(bench, gamed, 64)
            while True:
                ours, _ = measure_clients(bench, gamed, bench.count(500, 2), sends("s%d"))
                theirs, _ = database.pgbench(bench, INSERT, *bench.count(("-T", 2), ("-t", 2)), database="rooms")
                yield {"gamed": ours, "pgbench": theirs}
