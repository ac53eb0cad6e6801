public import Journal
internal import Sessions

/// Reading rows, and removing old rows and notes.
extension PostgresShard {
    public func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
    ) {
        read(PostgresCommand(.walk, [.int4(number), .int8(position), .int8(max(0, limit))])) {
            done($0.map(PostgresRow.rows))
        }
    }

    public func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void
    ) {
        // A refusal has no state, so the row with the newest state is of another kind.
        let skippedKind = SessionRecord.Kind.refusal.rawValue
        read(PostgresCommand(.newest, [.int4(number), .texts(sessions), .int8(skippedKind)])) {
            done(
                $0.map { result in
                    (0..<result.count).map { row in
                        // The columns 11 and 12 follow the 11 columns of `Statement.columns`.
                        NewestRow(
                            PostgresRow.row(row, of: result),
                            newestPosition: JournalPosition(
                                position: result.integer(row, 11) ?? 0,
                                checksum: UInt32(
                                    truncatingIfNeeded: result.integer(row, 12) ?? 0)))
                    }
                })
        }
    }

    public func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) {
        let command = PostgresCommand(
            .find,
            [
                .int4(number), .text(query.session), .int8(query.positions.lowerBound),
                .int8(query.positions.upperBound), .int8(query.beforeSeq),
                .int8s(query.kinds.map(\.rawValue)), .int8(max(0, query.limit)),
                .int8(max(1, query.byteLimit)),
            ])
        // `page(of:)` applies the query in memory to the rows that were read, and finds out whether the page is complete.
        read(command) { done($0.map { PostgresRow.rows($0).reversed() }.map(query.page(of:))) }
    }

    public func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void
    ) {
        let command = PostgresCommand(
            .candidates, [.int4(number), .int8(position), .int8(max(0, limit))])
        read(command) { done($0.map { Self.candidates($0, before: atNs) }) }
    }

    private static func candidates(_ result: PostgresResult, before atNs: Int64) -> [PruneCandidate]
    {
        (0..<result.count).prefix { Int64(result.integer($0, 4) ?? 0) < atNs }.map { row in
            PruneCandidate(
                position: result.integer(row, 0) ?? 0, session: result.text(row, 1) ?? "",
                seq: result.integer(row, 2) ?? 0, idNumber: result.integer(row, 3))
        }
    }

    public func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        guard let epoch, let last = positions.last else {
            return done(positions.isEmpty ? .success(()) : .failure(Self.outageError))
        }
        // The last parameter is recorded as the position up to which old rows were removed.
        let command = PostgresCommand(
            .prune, [.int4(number), .int8(epoch), .int8s(positions), .int8(last)])
        read(command) { done($0.map { _ in }) }
    }

    public func setNote(_ name: String, _ value: String) {
        read(Self.noteCommand(name, value)) { _ in }
    }

    /// Writes a note in the place of an earlier note of that name.
    static func noteCommand(_ name: String, _ value: String) -> PostgresCommand {
        let text = """
            INSERT INTO gamed_fact VALUES ($1::text, $2::text)
            ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
            """
        return PostgresCommand(text: text, [.text(name), .text(value)])
    }

    public func removeNote(_ name: String) {
        read(PostgresCommand(.removeNote, [.text(name)])) { _ in }
    }
}
