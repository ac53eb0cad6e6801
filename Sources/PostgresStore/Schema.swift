/// The tables of the database, and the SQL that creates and upgrades them. `StorePreparation` executes this SQL for
/// `gamed --prepare`.
enum Schema {
    /// The version of the tables that this code needs. `gamed --prepare` upgrades older tables to it.
    static let version = 2
    /// The version of the tables of a new database, and of a database that was switched to the newest codec of rows
    /// (`StoreCodec`). An older gamed does not start with it.
    static let newestVersion = 3

    /// The element `n` brings the tables from version `n` to version `n + 1`; the element 0 creates them.
    ///
    /// The tables:
    /// - `gamed_fact` has values that belong to no shard.
    /// - `gamed_shard` has one row for each of the 256 shards. One connection writes the rows of a shard; `backend` and
    ///   `backend_start` identify the server process of this connection. The columns `mark_*` are the shard's high-water mark.
    ///   `pruned` is the position up to which rows were removed.
    /// - `gamed_node` has the running nodes. `facts` is a digest of a node's configuration. `codec` is the newest version of
    ///   the rows' codec that the node reads.
    /// - `gamed_row` has the rows of all journals.
    ///
    /// The times `at` and `mark_at` are nanoseconds of the daemon's clock. Each renewal of a lease writes new versions of rows
    /// of `gamed_shard`. `fillfactor` keeps space for the new versions in the pages of this table.
    static let steps = [
        """
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
        """,
        // The access tokens that all nodes share. `gamed_token_version` has one row; each change of tokens increments it.
        """
        CREATE TABLE gamed_token (name text COLLATE "C" PRIMARY KEY, line text NOT NULL);
        CREATE TABLE gamed_token_version (version int8 NOT NULL);
        INSERT INTO gamed_token_version VALUES (0);
        UPDATE gamed_fact SET value = '2' WHERE name = 'schema';
        """,
    ]

    /// Makes new tables those of the newest codec: there is no older node and no older row.
    private static let newestCodecStep = """
        \(StoreCodec.trigger)
        INSERT INTO gamed_fact VALUES ('\(StoreCodec.note)', '\(StoreCodec.newest)');
        UPDATE gamed_fact SET value = '\(newestVersion)' WHERE name = 'schema';
        """

    /// The SQL that creates the tables, or brings them from an older version to the version that this code needs, as one
    /// transaction. Version 0 means that there are no tables.
    static func script(from version: Int) -> String {
        let needed = steps.dropFirst(max(0, version)) + (version <= 0 ? [newestCodecStep] : [])
        return "BEGIN;\n" + needed.joined(separator: "\n") + "\nCOMMIT;\n"
    }

    /// The version of the tables after `script`.
    static func versionAfterScript(from version: Int) -> Int {
        version <= 0 ? newestVersion : Self.version
    }

    /// Reads the version of the tables. Fails if the table `gamed_fact` does not exist.
    static let versionQuery = "SELECT value FROM gamed_fact WHERE name = 'schema'"
}
