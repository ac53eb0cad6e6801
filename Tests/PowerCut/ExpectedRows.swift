package import Journal

/// The rows that a journal must contain after a power cut or an error.
package struct ExpectedRows: Sendable {
    /// The rows that were acknowledged.
    package var acknowledged: [JournalRow] = []
    /// The rows that the journal may contain instead, while an operation is not acknowledged.
    package var alternative: [JournalRow]?

    /// Describes how rows differ from the expected rows; nil if they do not differ.
    func violation(_ rows: [JournalRow]) -> String? {
        if rows == acknowledged || rows == alternative {
            return RowMaker.areIntact(rows)
                ? nil
                : "the checksum of a row is wrong, or the row is not chained to the one before it"
        }
        let allowed = [acknowledged, alternative].compactMap { $0?.count }.map(String.init)
        return "\(rows.count) rows are there instead of \(allowed.joined(separator: " or ")); "
            + difference(rows)
    }

    /// Describes the first difference from the acknowledged rows or the alternative, whichever are more.
    private func difference(_ rows: [JournalRow]) -> String {
        let ordered = zip(rows, rows.dropFirst()).allSatisfy { $0.position + 1 == $1.position }
        guard ordered, rows.first?.position ?? 1 == 1 else {
            return "a row is missing between two others"
        }
        let longerList =
            (alternative?.count ?? 0) > acknowledged.count ? alternative! : acknowledged
        let equalCount = zip(rows, longerList).prefix { $0 == $1 }.count
        if equalCount < min(rows.count, longerList.count) { return "row \(equalCount + 1) differs" }
        return rows.count < acknowledged.count && (alternative?.count ?? .max) >= acknowledged.count
            ? "acknowledged rows are lost" : "a batch or a removal was done partially"
    }
}
