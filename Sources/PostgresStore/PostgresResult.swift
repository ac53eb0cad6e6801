internal import CPostgreSQL

/// The result of a statement, copied from libpq. Values are in PostgreSQL's binary format.
package struct PostgresResult {
    private let columns: Int
    private let values: [[UInt8]?]
    /// The number of rows that the statement returned.
    let count: Int

    init(_ result: OpaquePointer) {
        columns = Int(PQnfields(result))
        count = Int(PQntuples(result))
        var values: [[UInt8]?] = []
        values.reserveCapacity(count * columns)
        for row in 0..<PQntuples(result) {
            for column in 0..<PQnfields(result) {
                guard PQgetisnull(result, row, column) == 0 else {
                    values.append(nil)
                    continue
                }
                let bytes = UnsafeRawBufferPointer(
                    start: PQgetvalue(result, row, column),
                    count: Int(PQgetlength(result, row, column)))
                values.append(Array(bytes))
            }
        }
        self.values = values
    }

    /// A result with these rows, which all have `columns` values; a value that is nil is NULL.
    package init(columns: Int, rows: [[[UInt8]?]]) {
        (self.columns, count) = (columns, rows.count)
        values = rows.flatMap { $0 }
    }

    /// The bytes of a value. Nil for NULL. Also nil if the result does not have the row or the column.
    func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        guard 0..<count ~= row, 0..<columns ~= column else { return nil }
        return values[row * columns + column]
    }

    /// An integer of two, four or eight bytes; nil for NULL, and for a value of another length.
    func integer(_ row: Int, _ column: Int) -> Int? {
        guard let bytes = bytes(row, column) else { return nil }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch bytes.count {
        case 2: return Int(Int16(truncatingIfNeeded: number))
        case 4: return Int(Int32(truncatingIfNeeded: number))
        case 8: return Int(Int64(bitPattern: number))
        default: return nil
        }
    }

    func text(_ row: Int, _ column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column) == [1] }
}
