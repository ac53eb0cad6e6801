/// Creates the tables in a database, or upgrades them.
public enum StorePreparation {
    /// The result: the tables are ready, or an administrator has to execute SQL.
    public enum Outcome: Equatable, Sendable {
        /// The tables had the version `from`, 0 if there were no tables, and now have the version `to`.
        case prepared(from: Int, to: Int)
        /// The role may not create or change tables; an administrator has to execute this SQL.
        case forbidden(why: String, sql: String)
    }

    /// Prepares a database, in one transaction. Blocks. Throws if there is no connection, or if the
    /// tables are of a newer version.
    public static func prepare(_ location: PostgresLocation) throws(PostgresError) -> Outcome {
        let session = try PostgresSession(location)
        try ServerCheck.checkServer(session)
        guard let version = try ServerCheck.schemaVersion(session), version <= Schema.version else {
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
        return .prepared(from: version, to: Schema.version)
    }
}
