/// Converts the rows of a journal of an older version to the newest format, in the order of their positions.
package protocol RowConversion {
    /// Begins a conversion. The rows up to the position `pruned` were removed because of their age.
    init(prunedUpTo pruned: Int)
    /// Returns the next row in the newest format, linked to the preceding converted row of its session.
    mutating func converted(_ row: JournalRow) -> JournalRow
    /// Whether the converted rows have the same damage as the rows from which they were made.
    var keepsDamage: Bool { get }
}
