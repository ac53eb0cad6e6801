import Durability
import GameFlow
import JSONCoding
import Journal
import Sessions

/// The rows of a journal, indexed for the checks. The checks see the members that an export of the rows contains. So the checks
/// do not depend on the code that restores sessions.
struct JournalReader {
    /// A row with its exported members.
    struct ReadRow {
        let row: JournalRow
        let members: [Member]

        /// The `pos` of the change; -1 if the row is not a change.
        var pos: Int { if case .int(let pos) = members["pos"] { pos } else { -1 } }
        var kind: String { if case .string(let kind) = members["kind"] { kind } else { "" } }
        /// The name and the data of the state after the change.
        var to: Value? { members["to"] }
        /// Whether the row records a consequence of the row before it, in the same call. The other rows record a request or a
        /// timer's firing.
        var isConsequence: Bool { members["follows"] != nil }
    }

    private var rowsByPosition: [Int: JournalRow] = [:]
    /// The changes and rests of each session, in order.
    private(set) var rowsBySession: [String: [ReadRow]] = [:]
    private var changesByPos: [Int: ReadRow] = [:]
    /// The rows that belong to no session, such as the starts of the daemon, in order.
    private(set) var daemonRows: [ReadRow] = []
    /// The `pos` of the newest change.
    private(set) var lastPos = 0

    func row(at position: Int) -> JournalRow? { rowsByPosition[position] }
    /// The change with this `pos`.
    func change(at pos: Int) -> ReadRow? { changesByPos[pos] }

    /// The rows of a session since its newest opening.
    func rowsSinceOpening(of session: String) -> ArraySlice<ReadRow> {
        let all = rowsBySession[session] ?? []
        let start = all.lastIndex { $0.row.previous == .start } ?? 0
        return all[start...]
    }

    /// Whether the session is open according to its newest row.
    func isOpen(_ session: String) -> Bool {
        guard let last = rowsSinceOpening(of: session).last else { return false }
        return last.kind != "close"
    }

    mutating func add(_ row: JournalRow) {
        rowsByPosition[row.position] = row
        let readRow = ReadRow(row: row, members: row.members)
        switch row.kind {
        case .refusal, .forgotten: break
        case .daemon: daemonRows.append(readRow)
        case .rest: rowsBySession[row.session, default: []].append(readRow)
        case .change:
            rowsBySession[row.session, default: []].append(readRow)
            changesByPos[readRow.pos] = readRow
            lastPos = max(lastPos, readRow.pos)
        }
    }
}

extension JournalReader {
    /// The members of a JSON object; empty if it is invalid.
    static func read(_ json: [UInt8]) -> [Member] {
        var text = JSONText()
        do { try text.read(json[...]) } catch { return [] }
        return text.kind(JSONText.root) == .object ? text.object(at: JSONText.root) : []
    }
}

extension JournalRow {
    /// The exported members; empty if the row is unreadable.
    var members: [Member] { (try? record().members) ?? [] }

    /// The exported members as JSON.
    var text: String {
        String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }
}

extension Array where Element == Member {
    func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }

    func number(_ name: String) -> Int? {
        if case .int(let number)? = self[name] { number } else { nil }
    }

    func object(_ name: String) -> [Member]? {
        if case .object(let members)? = self[name] { members } else { nil }
    }

    func list(_ name: String) -> [[Member]] {
        guard case .array(let values)? = self[name] else { return [] }
        return values.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    /// Nanoseconds; the export has them as strings.
    func nanoseconds(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }
}
