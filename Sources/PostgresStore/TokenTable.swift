public import EventLoop
internal import Timers

/// The access tokens of all nodes, with a line of text for each token. The table uses a connection of its own.
///
/// All lines together have a version, which each change increments. A change names the version on which it is based: of two
/// changes of the same version, one is executed and the other is refused.
public final class TokenTable {
    private let link: PostgresLink
    /// Called when another node may have changed the tokens.
    public var mayHaveChanged: () -> Void = {}
    /// Called when there is a new connection: the server may be another one, with older tokens.
    public var connected: () -> Void = {}

    /// The lines of the tokens at one version.
    public struct Contents: Equatable, Sendable {
        public let version: Int
        /// Nil if the reader already knew this version.
        public let lines: [String]?
    }

    /// A token's line under its name.
    public typealias Entry = (name: String, line: String)

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

    public func start() { link.start() }
    public func stop() { link.stop() }

    /// Reads the lines, unless their version is still `knownVersion`; nil reads them in any case.
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

    /// Removes tokens and writes the lines of others, if the tokens still have the version `version`. Returns the new
    /// version; nil if the version was another one and nothing was changed. After a failure it is unknown whether the change
    /// was made.
    public func change(
        from version: Int, removing names: [String], writing entries: [Entry],
        _ done: @escaping (Result<Int?, PostgresError>) -> Void
    ) {
        let change = PostgresCommand(
            text: Self.changeText,
            [
                .int8(version), .texts(names), .texts(entries.map(\.name)),
                .texts(entries.map(\.line)),
            ])
        let notify = PostgresCommand(text: "NOTIFY gamed_token")
        link.execute([change, notify]) { result in done(result.map { $0.first?.integer(0, 0) }) }
    }

    /// `$1` is the version, `$2` are the names that are removed, `$3` the names that are written, `$4` their lines.
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
