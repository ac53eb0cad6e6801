-- The tables of version 1, with a row.
CREATE TABLE gamed_fact (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE gamed_shard (
    id int4 PRIMARY KEY, owner text NOT NULL DEFAULT '', epoch int8 NOT NULL DEFAULT 0,
    lease_until timestamptz NOT NULL DEFAULT '-infinity',
    backend int4, backend_start timestamptz, pruned int8 NOT NULL DEFAULT 0,
    mark_position int8 NOT NULL DEFAULT 0, mark_at int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 25);
CREATE TABLE gamed_node (
    id text PRIMARY KEY, name text NOT NULL, address text NOT NULL DEFAULT '',
    facts text NOT NULL DEFAULT '', codec int8 NOT NULL DEFAULT 0,
    lease_until timestamptz NOT NULL);
CREATE TABLE gamed_row (
    shard int4 NOT NULL, position int8 NOT NULL, kind int8 NOT NULL,
    session text COLLATE "C" NOT NULL, seq int8 NOT NULL, at int8 NOT NULL,
    previous int8 NOT NULL, previous_checksum int8 NOT NULL, checksum int8 NOT NULL,
    id text COLLATE "C", id_number int8, epoch int8 NOT NULL, body bytea NOT NULL,
    PRIMARY KEY (shard, position));
CREATE INDEX gamed_row_by_session ON gamed_row (shard, session, position);
INSERT INTO gamed_shard (id) SELECT generate_series(0, 255);
INSERT INTO gamed_fact VALUES ('schema', '1');
INSERT INTO gamed_fact VALUES ('instance', 'abc');
INSERT INTO gamed_row VALUES (7, 1, 1, 'main', 1, 5, 0, 0, 9, NULL, NULL, 1, '\x0102');
