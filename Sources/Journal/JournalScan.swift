public import Sessions
package import Support

/// Verifies the rows of a journal in the order of their positions. Finds damaged rows, gaps in the positions, and rows
/// that link to a row that is missing or has changed.
public struct JournalScan: Sendable {
    /// A fault in the rows of a session.
    public struct Damage: Equatable, Sendable {
        /// The position of the row at which the fault was found.
        public let position: Int
        /// The name of the session.
        public let session: String
        public let why: String
    }

    /// The position up to which rows were removed because of their age.
    private let pruned: Int
    /// The numbers of the sessions, by name. The daemon's own rows are counted as a session with an empty name.
    private var numbers = SessionNumbers()
    /// The newest row of each session, by the session's number.
    private var newestRows = ChunkedArray<JournalPosition>()
    /// The number of rows so far.
    public private(set) var count = 0
    /// The position of the newest row.
    public private(set) var newestPosition: Int = 0
    /// All faults that were found.
    public private(set) var damage: [Damage] = []
    /// The positions of missing rows to which no later row refers. The sessions of these rows are unknown.
    private var missing: Set<Int> = []
    /// The maximum number of missing positions that one gap adds. No gap is recorded once this number of positions is missing.
    /// The limit bounds the memory that a damaged, very large position can cost.
    private static let missingLimit: Int = 1_000_000
    /// The sessions whose rows cannot be trusted, by name, with the reason. A later opening of a session
    /// of the same name removes the entry.
    public private(set) var untrusted: [String: String] = [:]

    /// Prepares to scan a journal whose rows up to `pruned` were removed.
    public init(prunedUpTo pruned: Int = 0) {
        self.pruned = min(max(0, pruned), JournalRow.greatestNumber)
    }

    /// The number of distinct session names. The empty name of the daemon's own rows is not counted.
    public var sessions: Int { numbers.count - (numbers.number(of: "") == nil ? 0 : 1) }

    /// The position and checksum of a session's newest row so far. Nil if the scan has found no row of the session.
    public func newest(_ session: String) -> JournalPosition? {
        number(of: session).map { newestRows[$0] }
    }

    /// The number of a session; nil if the scan could attribute no row to the session. Sessions are numbered from 0 in the
    /// order of their first rows.
    package func number(of session: String) -> Int? { numbers.number(of: session) }

    /// The names of the sessions, by number.
    package var names: ChunkedArray<String> { numbers.names }

    /// Verifies the next row. Returns the number of its session; nil if the row cannot be
    /// attributed to a session, or records an erasure.
    @discardableResult public mutating func add(_ row: JournalRow) -> Int? {
        count += 1
        let flaw = row.flaw
        guard flaw == nil || row.position == newestPosition + 1 else {
            // The damaged part of the row may be its position. So the position must not determine a gap.
            addDamage(row, row.session, flaw ?? "")
            return nil
        }
        findGap(before: row.position)
        if row.kind == .forgotten {
            addErasure(row, flaw)
            return nil
        }
        // If this row links to a missing row, the missing row belongs to this row's session. The code below records the session
        // as untrusted.
        if !missing.isEmpty { missing.remove(row.previous.position) }
        newestPosition = row.position
        if let flaw { addDamageToOwner(of: row, flaw) }
        let (number, isKnown) = numbers.number(adding: row.session)
        if let flaw {
            addDamage(row, row.session, flaw)
        } else if row.previous == .start {
            if !untrusted.isEmpty { untrusted[row.session] = nil }
        } else if !isKnown || row.previous != newestRows[number], row.previous.position > pruned {
            addDamage(row, row.session, "the row before it is missing or has changed")
        }
        if isKnown {
            newestRows[number] = row.journalPosition
        } else {
            newestRows.append(row.journalPosition)
        }
        return number
    }

    /// The session's name in a damaged row may be wrong. If the row links to the newest row of another session, the row may
    /// belong to that session. In this case, records the damage for that session too.
    private mutating func addDamageToOwner(of row: JournalRow, _ flaw: String) {
        let previousPosition = row.previous.position
        guard previousPosition > 0 else { return }
        let owners = newestRows.indices.filter { newestRows[$0].position == previousPosition }
            .map { names[$0] }
        for name in owners.sorted() where name != row.session { addDamage(row, name, flaw) }
    }

    /// The number of erased rows, according to the rows that record erasures.
    public private(set) var forgotten = 0

    /// The number of missing rows of unknown sessions.
    public var lost: Int { missing.count }

    /// Handles a row that records an erasure: the erased rows are not missing. A row of this kind is linked to no other row.
    private mutating func addErasure(_ row: JournalRow, _ flaw: String?) {
        newestPosition = row.position
        if let flaw { return addDamage(row, row.session, flaw) }
        do throws(UnreadableRowError) {
            guard case .forgotten(let erasure) = try row.record().body else { return }
            missing.subtract(erasure.positions)
            forgotten += erasure.positions.count
        } catch { addDamage(row, row.session, error.why) }
    }

    /// Records the missing positions between the newest row so far and the row at a position. Positions of pruned rows are not
    /// missing.
    private mutating func findGap(before position: Int) {
        let first = max(newestPosition, pruned) + 1
        guard position > first, missing.count < Self.missingLimit else { return }
        for missingPosition in first..<min(position, first + Self.missingLimit) {
            missing.insert(missingPosition)
        }
    }

    /// Records a fault of a session at a row, and that the session's rows cannot be trusted.
    private mutating func addDamage(_ row: JournalRow, _ session: String, _ why: String) {
        damage.append(Damage(position: row.position, session: session, why: why))
        if untrusted[session] == nil { untrusted[session] = "row \(row.position): \(why)" }
    }
}
