public import Journal
internal import Sessions

/// What is read, and what is removed because it is old.
extension PostgresStore {
    public func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
    ) {
        read(PostgresCommand(.walk, [.int4(shard), .int8(position), .int8(max(0, limit))])) {
            done($0.map(PostgresRow.rows))
        }
    }

    public func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void
    ) {
        let refusal = SessionRecord.Kind.refusal.rawValue
        read(PostgresCommand(.newest, [.int4(shard), .texts(sessions), .int8(refusal)])) {
            done(
                $0.map { result in
                    (0..<result.count).map { number in
                        NewestRow(
                            PostgresRow.row(number, of: result),
                            mark: JournalPosition(
                                position: result.integer(number, 11) ?? 0,
                                checksum: UInt32(
                                    truncatingIfNeeded: result.integer(number, 12) ?? 0)))
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
                .int4(shard), .text(query.session), .int8(query.positions.lowerBound),
                .int8(query.positions.upperBound), .int8(query.before),
                .int8s(query.kinds.map(\.rawValue)), .int8(max(0, query.limit)),
                .int8(max(1, query.bytes)),
            ])
        // A page of no rows is full: the rows in memory answer it the same way.
        read(command) { done($0.map { PostgresRow.rows($0).reversed() }.map(query.page(of:))) }
    }

    public func candidates(
        after position: Int, before atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void
    ) {
        let command = PostgresCommand(
            .candidates, [.int4(shard), .int8(position), .int8(max(0, limit))])
        read(command) { done($0.map { Self.candidates($0, before: atNs) }) }
    }

    private static func candidates(_ result: PostgresResult, before atNs: Int64) -> [PruneCandidate]
    {
        (0..<result.count).prefix { Int64(result.integer($0, 4) ?? 0) < atNs }.map { number in
            PruneCandidate(
                position: result.integer(number, 0) ?? 0, session: result.text(number, 1) ?? "",
                seq: result.integer(number, 2) ?? 0, idNumber: result.integer(number, 3))
        }
    }

    public func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        guard let epoch, let last = positions.last else {
            return done(positions.isEmpty ? .success(()) : .failure(Self.out))
        }
        let command = PostgresCommand(
            .prune, [.int4(shard), .int8(epoch), .int8s(positions), .int8(last)])
        read(command) { done($0.map { _ in }) }
    }

    public func forget(_ note: String) {
        read(PostgresCommand(.forget, [.text(note)])) { _ in }
    }
}
