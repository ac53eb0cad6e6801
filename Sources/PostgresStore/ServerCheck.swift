internal import CPostgreSQL

/// The checks of a server and its tables. They must succeed before gamed writes to the tables. Each check blocks. A check that
/// fails throws an error with a sentence for the operator. The numbers at `text`, `integer` and `isTrue` are the row and the
/// column of a result.
enum ServerCheck {
    /// The oldest version of PostgreSQL that is accepted, as `server_version_num` writes it: 130000 is version 13.0.
    static let oldestServer = 130_000

    /// Throws if the server or the tables cannot be used. A server that may lose acknowledged changes is accepted only if
    /// `acceptsWeakStore` is true. `severalHosts` says whether the URL of the database names several servers.
    static func check(
        _ session: PostgresSession, severalHosts: Bool, acceptsWeakStore: Bool
    ) throws(PostgresError) {
        try checkServer(session)
        try checkSchema(session)
        try checkRights(session)
        let weaknesses = try weaknesses(of: session, severalHosts: severalHosts)
        guard acceptsWeakStore || weaknesses.isEmpty else {
            throw PostgresError(
                .unsuitable,
                "the database may lose acknowledged changes: \(weaknesses.joined(separator: "; ")); "
                    + "--accept-weak-store uses it nevertheless")
        }
    }

    /// Throws if the server is too old, if the database's encoding is not UTF-8, or if the server is a standby. A standby
    /// accepts no writes.
    static func checkServer(_ session: PostgresSession) throws(PostgresError) {
        let found = try session.run(
            """
            SELECT current_setting('server_version_num')::int4, current_setting('server_encoding'),
                current_setting('server_version'), pg_is_in_recovery()
            """)
        guard found.integer(0, 0) ?? 0 >= oldestServer else {
            throw PostgresError(
                .unsuitable,
                "the server is PostgreSQL \(found.text(0, 2) ?? "of an unknown version"); "
                    + "gamed needs \(oldestServer / 10_000) or newer")
        }
        guard found.text(0, 1) == "UTF8" else {
            throw PostgresError(
                .unsuitable,
                "the database's encoding is \(found.text(0, 1) ?? "unknown"); "
                    + "create it with ENCODING 'UTF8'")
        }
        guard !found.isTrue(0, 3) else {
            throw PostgresError(
                .unsuitable,
                "the server is a standby; add target_session_attrs=read-write to the URL")
        }
    }

    /// Throws unless the tables have a version that this code can use.
    static func checkSchema(_ session: PostgresSession) throws(PostgresError) {
        switch try schemaVersion(session) {
        case let version? where Schema.version...Schema.newestVersion ~= version: break
        case 0:
            throw PostgresError(.unsuitable, "there are no tables; `gamed --prepare` makes them")
        case let version? where version < Schema.version:
            throw PostgresError(
                .unsuitable,
                "the tables have version \(version); `gamed --prepare` upgrades them to "
                    + "\(Schema.version)")
        case let version:
            throw PostgresError(
                .unsuitable,
                "the tables have version \(version.map(String.init) ?? "unknown"), and this gamed "
                    + "knows versions up to \(Schema.newestVersion); use a newer gamed")
        }
    }

    /// Throws if the database role of the connection may not read and write all tables.
    private static func checkRights(_ session: PostgresSession) throws(PostgresError) {
        let found = try session.run(
            """
            SELECT string_agg(t, ', ' ORDER BY t), current_user::text
            FROM unnest(ARRAY[
                'gamed_fact', 'gamed_shard', 'gamed_node', 'gamed_row', 'gamed_token',
                'gamed_token_version']) AS t
            WHERE NOT (has_table_privilege(t, 'SELECT') AND has_table_privilege(t, 'INSERT')
                AND has_table_privilege(t, 'UPDATE') AND has_table_privilege(t, 'DELETE'))
            """)
        guard let tables = found.text(0, 0) else { return }
        throw PostgresError(
            .unsuitable,
            "the role may not use the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON \(tables) TO "
                + "\(found.text(0, 1) ?? "the role")")
    }

    /// The version of the tables; 0 if there are no tables, nil if the stored version is not a positive number.
    static func schemaVersion(_ session: PostgresSession) throws(PostgresError) -> Int? {
        let exists = try session.run("SELECT to_regclass('gamed_fact') IS NOT NULL")
        guard exists.isTrue(0, 0) else { return 0 }
        do throws(PostgresError) {
            let version = try session.value(Schema.versionQuery)
            return version.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        } catch  where error.sqlState == PostgresError.SQLState.insufficientPrivilege {
            throw PostgresError(
                .unsuitable,
                "the role may not use the tables: \(error.why); GRANT it SELECT, INSERT, "
                    + "UPDATE and DELETE on them")
        }
    }

    /// The reasons why an acknowledged change may be lost, for the operator. Only `gamed_node` may be UNLOGGED, because nodes
    /// write their rows again with each renewal of a lease.
    private static func weaknesses(
        of session: PostgresSession, severalHosts: Bool
    ) throws(PostgresError) -> [String] {
        weaknesses(in: try session.run(weaknessQuery), severalHosts: severalHosts)
    }

    /// Reads the settings on which the safety of acknowledged changes depends.
    static let weaknessQuery = """
        SELECT current_setting('fsync'), current_setting('full_page_writes'),
            current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
            (SELECT coalesce(bool_or(relpersistence <> 'p'), false) FROM pg_class
                WHERE oid IN ('gamed_row'::regclass, 'gamed_shard'::regclass,
                    'gamed_fact'::regclass, 'gamed_token'::regclass,
                    'gamed_token_version'::regclass))
        """

    /// The reasons in a result of `weaknessQuery`.
    static func weaknesses(in found: PostgresResult, severalHosts: Bool) -> [String] {
        var reasons: [String] = []
        // The names of the first two columns of the query, in its order.
        for (column, name) in ["fsync", "full_page_writes"].enumerated()
        where found.text(0, column) != "on" {
            reasons.append("\(name) is \(found.text(0, column) ?? "unknown")")
        }
        let commitMode = found.text(0, 2) ?? "unknown"
        // In any other mode a commit may return before the changes are on the disks of the server and of its standby.
        if !["on", "remote_apply"].contains(commitMode) {
            reasons.append("synchronous_commit is \(commitMode)")
        }
        if severalHosts, found.text(0, 3)?.isEmpty != false {
            reasons.append("the URL names several servers, and synchronous_standby_names is empty")
        }
        if found.isTrue(0, 4) { reasons.append("a table is UNLOGGED") }
        return reasons
    }
}
