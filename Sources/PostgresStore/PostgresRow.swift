internal import Journal
internal import Sessions

/// The journal's rows as parameters and results of statements.
enum PostgresRow {
    /// The parameters of `Statement.append`.
    static func parameters(_ parts: [WriteQueue.Part], epoch: (Int32) -> Int) -> [BinaryValue] {
        let rows = parts.flatMap(\.rows)
        let shards = parts.flatMap { part in repeatElement(part.shard, count: part.rows.count) }
        return [
            .int4s(parts.map(\.shard)), .int8s(parts.map { epoch($0.shard) }), .int4s(shards),
            .int8s(rows.map(\.position)), .int8s(rows.map(\.kind.rawValue)),
            .texts(rows.map(\.session)), .int8s(rows.map(\.seq)),
            .int8s(rows.map { Int($0.atNs) }), .int8s(rows.map(\.previous.position)),
            .int8s(rows.map { Int($0.previous.checksum) }), .int8s(rows.map { Int($0.checksum) }),
            .texts(rows.map { $0.id?.text }), .optionalInt8s(rows.map { $0.id?.number }),
            .byteas(rows.map(\.body)),
        ]
    }

    /// The rows of a result whose columns are `Statement.columns`.
    static func rows(_ result: PostgresResult) -> [JournalRow] {
        (0..<result.count).map { row($0, of: result) }
    }

    /// A row of a result. A column that cannot be read gets a value with which the checksum does not match.
    static func row(_ number: Int, of result: PostgresResult) -> JournalRow {
        func integer(_ column: Int) -> Int { result.integer(number, column) ?? 0 }
        let id = result.text(number, 8).map { JournalRow.RequestID($0, number: integer(9)) }
        return JournalRow(
            JournalRow.Kind(rawValue: integer(1)) ?? .daemon, position: integer(0),
            session: result.text(number, 2) ?? "", seq: integer(3), atNs: Int64(integer(4)), id: id,
            body: result.bytes(number, 10) ?? [],
            after: JournalPosition(
                position: integer(5), checksum: UInt32(truncatingIfNeeded: integer(6))),
            checksum: UInt32(truncatingIfNeeded: integer(7)))
    }
}
