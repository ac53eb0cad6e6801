/// Looks at a journal's rows in their order, and finds those that are not what was written, or that have
/// lost the row before them.
public struct JournalScan: Sendable {
    /// Something that is wrong with a session's rows.
    public struct Damage: Equatable, Sendable {
        public let position: Int64
        public let session: String
        public let why: String
    }

    private let pruned: Int64
    private var last: [String: JournalRow.Link] = [:]
    public private(set) var count = 0
    /// The position of the newest row.
    public private(set) var head: Int64 = 0
    /// All that was found.
    public private(set) var damage: [Damage] = []
    /// The sessions that cannot be trusted, and why. One that was opened anew afterwards can.
    public private(set) var untrusted: [String: String] = [:]

    /// A look at a journal of which rows were removed up to a position.
    public init(pruned: Int64 = 0) { self.pruned = pruned }

    /// How many sessions there were, by their names.
    public var sessions: Int { last.count - (last[""] == nil ? 0 : 1) }

    /// The session's newest row so far.
    public func newest(_ session: String) -> JournalRow.Link? { last[session] }

    /// The next row.
    public mutating func take(_ row: JournalRow) {
        count += 1
        head = row.position
        defer { last[row.session] = row.link }
        guard row.isWhole else {
            // The name may be what is wrong with it: the row before it knows better.
            let before = row.previous.position
            for name in last.filter({ $0.value.position == before && before > 0 }).keys.sorted()
            where name != row.session {
                found(row, name, "its checksum is wrong")
            }
            return found(row, row.session, "its checksum is wrong")
        }
        if row.previous == .start {
            untrusted[row.session] = nil
        } else if row.previous != last[row.session], row.previous.position > pruned {
            found(row, row.session, "the row before it is missing or another one")
        }
    }

    private mutating func found(_ row: JournalRow, _ session: String, _ why: String) {
        damage.append(Damage(position: row.position, session: session, why: why))
        if untrusted[session] == nil { untrusted[session] = "row \(row.position): \(why)" }
    }
}
