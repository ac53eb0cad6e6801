public import Sessions
package import Support

/// Looks at a journal's rows in their order, and finds those that are not what was written, or that have
/// lost the row before them.
public struct JournalScan: Sendable {
    /// Something that is wrong with a session's rows.
    public struct Damage: Equatable, Sendable {
        public let position: Int
        public let session: String
        public let why: String
    }

    private let pruned: Int
    /// The sessions' numbers by their names, in the order of their first rows.
    private var numbers = SessionNumbers()
    /// The newest row of each session, by its number.
    private var last = ChunkedArray<JournalPosition>()
    public private(set) var count = 0
    /// The position of the newest row.
    public private(set) var head: Int = 0
    /// All that was found.
    public private(set) var damage: [Damage] = []
    /// Positions of which no row is there and no later one speaks: whose they were nobody can say.
    private var missing: Set<Int> = []
    private static let mostMissing: Int = 1_000_000
    /// The sessions that cannot be trusted, and why. One that was opened anew afterwards can.
    public private(set) var untrusted: [String: String] = [:]

    /// A look at a journal of which rows were removed up to a position.
    public init(pruned: Int = 0) { self.pruned = min(max(0, pruned), JournalRow.most) }

    /// How many sessions there were, by their names.
    public var sessions: Int { numbers.count - (numbers.number(of: "") == nil ? 0 : 1) }

    /// The session's newest row so far.
    public func newest(_ session: String) -> JournalPosition? {
        number(of: session).map { last[$0] }
    }

    /// The session's number, from 0 in the order of their first rows; nil if it has none that could be placed.
    package func number(of session: String) -> Int? { numbers.number(of: session) }

    /// The sessions' names, by their numbers.
    package var names: ChunkedArray<String> { numbers.names }

    /// The next row. Returns its session's number; nil if the row cannot be placed, or says what was erased.
    @discardableResult public mutating func take(_ row: JournalRow) -> Int? {
        count += 1
        let flaw = row.flaw
        guard flaw == nil || row.position == head + 1 else {
            // Where it stands may be what is wrong with it.
            found(row, row.session, flaw ?? "")
            return nil
        }
        lookForGap(before: row.position)
        if row.kind == .forgotten {
            forget(row, flaw)
            return nil
        }
        if !missing.isEmpty { missing.remove(row.previous.position) }
        head = row.position
        if let flaw { lookForOwner(of: row, flaw) }
        let (number, isKnown) = numbers.number(adding: row.session)
        if let flaw {
            found(row, row.session, flaw)
        } else if row.previous == .start {
            if !untrusted.isEmpty { untrusted[row.session] = nil }
        } else if !isKnown || row.previous != last[number], row.previous.position > pruned {
            found(row, row.session, "the row before it is missing or another one")
        }
        if isKnown { last[number] = row.mark } else { last.append(row.mark) }
        return number
    }

    /// The name may be what is wrong with a row: the row before it knows better.
    private mutating func lookForOwner(of row: JournalRow, _ flaw: String) {
        let before = row.previous.position
        guard before > 0 else { return }
        let owners = last.indices.filter { last[$0].position == before }.map { names[$0] }
        for name in owners.sorted() where name != row.session { found(row, name, flaw) }
    }

    /// How many rows were erased, as rows say that are there.
    public private(set) var forgotten = 0

    /// How many rows are not there, of sessions that nobody can name.
    public var lost: Int { missing.count }

    /// A row that says which rows were erased: those are not missing. It is tied to no other row.
    private mutating func forget(_ row: JournalRow, _ flaw: String?) {
        head = row.position
        if let flaw { return found(row, row.session, flaw) }
        do throws(UnreadableRow) {
            guard case .forgotten(let erased) = try row.record().body else { return }
            missing.subtract(erased.positions)
            forgotten += erased.positions.count
        } catch { found(row, row.session, error.why) }
    }

    /// Positions have no gap behind what was pruned.
    private mutating func lookForGap(before position: Int) {
        let first = max(head, pruned) + 1
        guard position > first, missing.count < Self.mostMissing else { return }
        for lost in first..<min(position, first + Self.mostMissing) { missing.insert(lost) }
    }

    private mutating func found(_ row: JournalRow, _ session: String, _ why: String) {
        damage.append(Damage(position: row.position, session: session, why: why))
        if untrusted[session] == nil { untrusted[session] = "row \(row.position): \(why)" }
    }
}
