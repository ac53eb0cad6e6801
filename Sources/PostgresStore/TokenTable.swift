public import EventLoop
internal import Timers

/// The access tokens that all nodes share, in the database. Each token has a line, as in a token file: its name, its hash and
/// its purpose. The table uses a connection of its own. All calls and callbacks are on the loop's thread.
///
/// All lines together have one version, and each change increments this version. A change names the version on which it is
/// based. If two changes name the same version, only the first change is executed, and the second change is refused.
public final class TokenTable {
    private let link: PostgresLink
    /// Called when a node may have changed the tokens; it may be this node.
    public var mayHaveChanged: () -> Void = {}
    /// Called when there is a new connection. The new connection may be to another server, with older tokens.
    public var connected: () -> Void = {}

    /// The lines of the tokens at one version.
    public struct Contents: Equatable, Sendable {
        public let version: Int
        /// Ordered by the tokens' names. Nil if the reader already knew this version.
        public let lines: [String]?
    }

    /// A token's line, and the token's name, which is the key of the table.
    public typealias NamedLine = (name: String, line: String)

    /// A number that no version has: versions are never negative.
    private static let noVersion = -1

    /// Prepares to read and change the tokens; `start` connects.
    public init(_ location: PostgresLocation, acceptsWeakStore: Bool, on loop: LibeventLoop) {
        link = PostgresLink(location, acceptsWeakStore: acceptsWeakStore, preparing: [], on: loop)
        link.notified = { [unowned self] in mayHaveChanged() }
        link.opened = { [unowned self] in
            link.execute([PostgresCommand(text: "LISTEN gamed_token")]) { _ in }
            connected()
        }
    }

    /// Begins to connect. Calls `connected` when there is a connection.
    public func start() { link.start() }
    /// Ends the connection.
    public func stop() { link.stop() }

    /// Reads the lines, unless their version is still `knownVersion`. If `knownVersion` is nil, reads them in any case.
    public func read(
        unlessVersionIs knownVersion: Int?,
        _ done: @escaping (Result<Contents, PostgresError>) -> Void
    ) {
        // LIMIT tells the planner that there is one version. Otherwise it expects millions of rows, and compiles
        // the plan to machine code (JIT).
        let text = """
            SELECT v.version, t.line FROM (SELECT version FROM gamed_token_version LIMIT 1) v
            LEFT JOIN gamed_token t ON v.version <> $1::int8 ORDER BY t.name
            """
        let command = PostgresCommand(text: text, [.int8(knownVersion ?? Self.noVersion)])
        link.execute([command]) { result in
            done(
                result.flatMap { results in
                    guard let found = results.first, let version = found.integer(0, 0) else {
                        return .failure(PostgresError(.unsuitable, "gamed_token_version is empty"))
                    }
                    let lines = (0..<found.count).compactMap { found.text($0, 1) }
                    return .success(
                        Contents(
                            version: version, lines: version == knownVersion ? nil : lines))
                })
        }
    }

    /// Removes the tokens `names` and writes the lines of other tokens, if the table still has the version `version`. Calls
    /// `done` with the new version; with nil if the table had another version, so that nothing was changed. After a failure
    /// it is unknown whether the change was made.
    public func change(
        from version: Int, removing names: [String], writing namedLines: [NamedLine],
        _ done: @escaping (Result<Int?, PostgresError>) -> Void
    ) {
        let change = PostgresCommand(
            text: Self.changeText,
            [
                .int8(version), .texts(names), .texts(namedLines.map(\.name)),
                .texts(namedLines.map(\.line)),
            ])
        let notify = PostgresCommand(text: "NOTIFY gamed_token")
        link.execute([change, notify]) { result in done(result.map { $0.first?.integer(0, 0) }) }
    }

    /// `$1` is the version on which the change is based. `$2` are the names of the tokens to remove. `$3` are the names of the
    /// tokens to write, and `$4` are the lines of the tokens to write.
    static let changeText = """
        WITH changed AS (
            UPDATE gamed_token_version SET version = version + 1 WHERE version = $1::int8
            RETURNING version),
        removed AS (
            DELETE FROM gamed_token t USING changed WHERE t.name = ANY ($2::text[])),
        written AS (
            INSERT INTO gamed_token (name, line)
            SELECT n.name, n.line FROM unnest($3::text[], $4::text[]) AS n (name, line), changed
            ON CONFLICT (name) DO UPDATE SET line = EXCLUDED.line)
        SELECT version FROM changed
        """
}

extension PostgresJournal {
    /// The lines of the tokens.
    public func tokenLines() throws(PostgresError) -> [String] {
        let found = try session.run("SELECT line FROM gamed_token ORDER BY name")
        return (0..<found.count).compactMap { found.text($0, 0) }
    }
}
