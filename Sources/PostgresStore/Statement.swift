internal import Journal

/// The statements that are prepared on each connection of the store.
///
/// A shard's row in `gamed_shard` is the fence of the shard's rows in `gamed_row`. Each statement that changes rows of the
/// shard locks the fence with FOR SHARE, and checks the fence's epoch in the same transaction. FOR SHARE conflicts with the
/// UPDATE of a takeover; FOR KEY SHARE would not.
///
/// Statements that lock several shards lock them in the order of the shards' numbers. So two statements never wait for each
/// other. After a wait for a lock, PostgreSQL checks a statement's conditions again. For this check, it reads the newest
/// version of the locked row, but reads other tables as they were before the wait. So the conditions on a fence use no other
/// table.
package enum Statement: CaseIterable {
    // Each statement is explained at its text below.
    case append, resume, acquire, endWriters, checksums, removeAfter
    case walk, newest, find, candidates, prune, removeNote

    /// The name under which the server keeps the prepared statement.
    var name: String { "gamed_\(self)" }

    /// The columns of a row, in the order in which `PostgresRow` converts them to a `JournalRow`.
    static let columns =
        "position, kind, session, seq, at, previous, previous_checksum, checksum, id, id_number, body"

    /// Finds and locks the fence of the shard `$1` if the shard's epoch is still `$2`. Otherwise finds no row, and the
    /// statement that follows changes nothing.
    private static let fence = """
        WITH fence AS MATERIALIZED (
            SELECT id FROM gamed_shard WHERE id = $1::int4 AND epoch = $2::int8 FOR SHARE)
        """

    /// The SQL. The first parameter is `$1`.
    var text: String {
        switch self {
        case .append: Self.appendText
        case .acquire: Self.acquireText
        case .resume: Self.resumeText
        case .endWriters: Self.endWritersText
        // For each shard in `$1`, the checksum of the row at the position in `$2`.
        case .checksums:
            """
            SELECT r.shard, r.checksum FROM unnest($1::int4[], $2::int8[]) AS l (shard, position)
            JOIN gamed_row r ON r.shard = l.shard AND r.position = l.position
            """
        // Removes the rows after the position `$3` from the shard `$1` whose epoch is `$2`.
        case .removeAfter:
            """
            \(Self.fence)
            DELETE FROM gamed_row USING fence WHERE shard = fence.id AND position > $3::int8
            """
        // The rows of the shard `$1` after the position `$2`, at most `$3`.
        case .walk:
            """
            SELECT \(Self.columns) FROM gamed_row WHERE shard = $1::int4 AND position > $2::int8
            ORDER BY position LIMIT $3::int8
            """
        case .newest: Self.newestText
        case .find: Self.findText
        // The rows of the shard `$1` after the position `$2`, at most `$3`, as values of `PruneCandidate` and times. The caller
        // removes the rows that are old enough. The newest row is left out, because it must remain: its position determines the
        // position of the next row, and no position may be used twice.
        case .candidates:
            """
            SELECT position, session, seq, id_number, at FROM gamed_row
            WHERE shard = $1::int4 AND position > $2::int8
                AND position < (SELECT max(position) FROM gamed_row WHERE shard = $1::int4)
            ORDER BY position LIMIT $3::int8
            """
        case .prune: Self.pruneText
        // Removes the note with the name `$1`.
        case .removeNote: "DELETE FROM gamed_fact WHERE name = $1::text"
        }
    }

    /// Adds rows to several shards. `$1` are the shards, and `$2` their epochs as this process knows them. `$3` to `$14` have
    /// an element for each row; `$3` are the rows' shards. Returns the shards whose epochs have not changed; rows of other
    /// shards are not added.
    private static let appendText = """
        WITH fence AS MATERIALIZED (
            SELECT id, epoch FROM gamed_shard WHERE id = ANY ($1::int4[])
                AND epoch = ($2::int8[])[array_position($1::int4[], id)]
            ORDER BY id FOR SHARE),
        added AS (
            INSERT INTO gamed_row (shard, epoch, \(columns))
            SELECT f.id, f.epoch, r.position, r.kind, r.session, r.seq, r.at, r.previous,
                r.previous_checksum, r.checksum, r.request, r.id_number, r.body
            FROM unnest(
                $3::int4[], $4::int8[], $5::int8[], $6::text[], $7::int8[], $8::int8[], $9::int8[],
                $10::int8[], $11::int8[], $12::text[], $13::int8[], $14::bytea[])
                AS r (shard, position, kind, session, seq, at, previous, previous_checksum,
                    checksum, request, id_number, body)
            JOIN fence f ON f.id = r.shard)
        SELECT id FROM fence
        """

    /// Makes the process `$2` the owner of the shards `$1`, under new epochs, and this connection the writer of their rows.
    /// `$3` is the length of the lease in milliseconds. A shard is acquired only if two conditions hold:
    /// - The process `$2` owns the shard already, or the shard's lease has ended by the server's clock.
    /// - The shard still has the epoch in `$4` and the end of the lease in `$5`. -1 in `$4` accepts any epoch and any end.
    private static let acquireText = """
        WITH free AS MATERIALIZED (
            SELECT id FROM gamed_shard
            WHERE id = ANY ($1::int4[]) AND (owner = $2::text OR lease_until < clock_timestamp())
                AND (($4::int8[])[array_position($1::int4[], id)] < 0
                    OR (epoch = ($4::int8[])[array_position($1::int4[], id)]
                        AND \(leaseEnd) = ($5::int8[])[array_position($1::int4[], id)]))
            ORDER BY id FOR NO KEY UPDATE)
        UPDATE gamed_shard s SET owner = $2::text, epoch = epoch + 1, backend = pg_backend_pid(),
            backend_start = (SELECT a.backend_start FROM pg_stat_get_activity(pg_backend_pid()) a),
            lease_until = clock_timestamp() + $3::int8 * interval '1 ms'
        FROM free WHERE s.id = free.id RETURNING s.id, s.epoch
        """

    /// The end of a lease in microseconds; 0 for a shard that was released.
    static let leaseEnd = """
        CASE WHEN isfinite(lease_until) THEN (extract(epoch FROM lease_until) * 1000000)::int8 ELSE 0 END
        """

    /// Makes a new connection the writer of the shards `$1` for their present owner `$2`, under new epochs;
    /// `$3` are the old epochs. Returns no row for a shard that another process has owned in the meantime.
    /// The lock waits for the transaction of the earlier connection; later statements of that connection
    /// have an old epoch.
    private static let resumeText = """
        WITH mine AS MATERIALIZED (
            SELECT id FROM gamed_shard WHERE id = ANY ($1::int4[]) AND owner = $2::text
                AND epoch = ($3::int8[])[array_position($1::int4[], id)]
            ORDER BY id FOR NO KEY UPDATE)
        UPDATE gamed_shard s SET epoch = epoch + 1, backend = pg_backend_pid(),
            backend_start = (SELECT a.backend_start FROM pg_stat_get_activity(pg_backend_pid()) a)
        FROM mine WHERE s.id = mine.id RETURNING s.id, s.epoch
        """

    /// Ends the database sessions that write the shards `$1`. A stalled writer then no longer holds its lock on a shard. Ends a
    /// session only if it belongs to the owner `$2`, or if the lease of its owner has ended.
    private static let endWritersText = """
        SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
        WHERE a.pid <> pg_backend_pid() AND EXISTS (
            SELECT FROM gamed_shard s WHERE s.id = ANY ($1::int4[])
                AND (s.owner = $2::text OR s.lease_until < clock_timestamp())
                AND a.pid = s.backend AND a.backend_start = s.backend_start)
        """

    /// `$1` is the shard, `$2` are the names of sessions, `$3` is the kind of rows that contain no state. Returns two things
    /// for each session: the session's newest row with a state, and (as `m`) the position and checksum of the session's newest
    /// row of any kind.
    private static let newestText = """
        SELECT r.*, m.position, m.checksum
        FROM unnest($2::text[]) WITH ORDINALITY AS s (name, place),
            LATERAL (SELECT position, checksum FROM gamed_row
                WHERE shard = $1::int4 AND session = s.name ORDER BY position DESC LIMIT 1) m,
            LATERAL (SELECT \(columns) FROM gamed_row
                WHERE shard = $1::int4 AND session = s.name AND kind <> $3::int8
                ORDER BY position DESC LIMIT 1) r
        ORDER BY s.place
        """

    /// Finds rows of a session, and returns the newest rows first. The parameters:
    /// - `$1` is the shard, and `$2` is the session.
    /// - `$3` and `$4` are the first and the last position.
    /// - `$5` is a limit for `seq`: only rows with a lower `seq` are found.
    /// - `$6` are the kinds of the rows.
    /// - `$7` is the maximum number of rows.
    /// - `$8` is a number of bytes. No further row is returned when the bodies of the returned rows together have at least this
    ///   number of bytes.
    private static let findText = """
        SELECT \(columns) FROM (
            SELECT \(columns), sum(octet_length(body)) OVER (ORDER BY position DESC)
                - octet_length(body) AS bytes_before
            FROM (SELECT \(columns) FROM gamed_row
                WHERE shard = $1::int4 AND session = $2::text
                    AND position BETWEEN $3::int8 AND $4::int8
                    AND seq < $5::int8 AND kind = ANY ($6::int8[])
                ORDER BY position DESC LIMIT $7::int8) AS page) AS sized
        WHERE bytes_before < $8::int8 ORDER BY position DESC
        """

    /// Removes the rows at the positions `$3` from the shard `$1` whose epoch is `$2`, and records that old rows up to the
    /// position `$4` were removed.
    private static let pruneText = """
        \(fence), noted AS (
            UPDATE gamed_shard SET pruned = greatest(pruned, $4::int8)
            WHERE id = (SELECT id FROM fence))
        DELETE FROM gamed_row USING fence WHERE shard = fence.id AND position = ANY ($3::int8[])
        """
}
