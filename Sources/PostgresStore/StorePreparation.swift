/// Creates the tables in a database, or upgrades them, for `gamed --prepare`.
public enum StorePreparation {
    /// The result: the tables are ready, or an administrator has to execute SQL.
    public enum Outcome: Equatable, Sendable {
        /// The tables had the version `from`, 0 if there were no tables, and now have the version `to`. Both are equal if
        /// nothing had to be done.
        case prepared(from: Int, to: Int)
        /// The database role may not create or change tables, for the server's reason `why`. An administrator has to execute
        /// `sql`.
        case forbidden(why: String, sql: String)
    }

    /// Prepares a database, in one transaction. Blocks. Throws if no connection can be made, or if the server cannot be used.
    /// Also throws if the tables have a newer version than this code knows.
    public static func prepare(_ location: PostgresLocation) throws(PostgresError) -> Outcome {
        let session = try PostgresSession(location)
        try ServerCheck.checkServer(session)
        guard let version = try ServerCheck.schemaVersion(session),
            version <= Schema.newestVersion
        else {
            // Throws the error for a newer version.
            try ServerCheck.checkSchema(session)
            throw PostgresError(.unsuitable, "the tables' version cannot be read")
        }
        guard version < Schema.version else { return .prepared(from: version, to: version) }
        let sql = Schema.script(from: version)
        do throws(PostgresError) {
            try session.script(sql)
        } catch  where error.sqlState == PostgresError.SQLState.insufficientPrivilege {
            return .forbidden(why: error.why, sql: sql)
        }
        return .prepared(from: version, to: Schema.versionAfterScript(from: version))
    }
}
