package import Journal

/// What a journal has said so far, and so what must be found in it.
package struct Promise: Sendable {
    /// What it said is on the disk.
    package var settled: [JournalRow] = []
    /// What may be there instead, while something is under way that was not answered.
    package var possible: [JournalRow]?

    /// Says what is wrong with rows that were found, if anything is.
    func breach(_ rows: [JournalRow]) -> String? {
        if rows == settled || rows == possible {
            return RowMaker.isWhole(rows) ? nil : "a row does not hold after the one before it"
        }
        let allowed = [settled, possible].compactMap { $0?.count }.map(String.init)
        return "\(rows.count) rows are there instead of \(allowed.joined(separator: " or ")); "
            + difference(rows)
    }

    private func difference(_ rows: [JournalRow]) -> String {
        let ordered = zip(rows, rows.dropFirst()).allSatisfy { $0.position + 1 == $1.position }
        guard ordered, rows.first?.position ?? 1 == 1 else { return "there is a hole in them" }
        let longer = (possible?.count ?? 0) > settled.count ? possible! : settled
        let same = zip(rows, longer).prefix { $0 == $1 }.count
        if same < min(rows.count, longer.count) { return "row \(same + 1) is another one" }
        return rows.count < settled.count && (possible?.count ?? .max) >= settled.count
            ? "what was acknowledged is lost" : "a part of a batch or of a removal is there"
    }
}
