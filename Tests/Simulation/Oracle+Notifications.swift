import GameFlow
import JSONCoding
import Journal
import Sessions

/// Compares notifications and shown sessions with the rows on the disk.
extension Oracle {
    // MARK: notifications

    func checkNotification(_ method: String, _ params: [Member], _ client: Client)
        throws(InvariantViolation)
    {
        counts["notifications"] += 1
        let session = params.text("session") ?? ""
        switch method {
        case "change":
            try checkChange(params, "a notification")
            try checkOrder(params, session, client)
        case "beat":
            let state = stateName(params["to"])
            let isOnDisk =
                journal.rowsBySession[session]?.contains { stateName($0.to) == state } ?? false
            try expect(
                isOnDisk,
                "a beat of \(session) in a state that is not on the disk")
        case "gap":
            try checkSession(params, "a gap")
            client.lastSeq[session] = params.number("seq")
        default: break
        }
    }

    /// A watching client receives every change of a session, in order.
    func checkOrder(_ change: [Member], _ session: String, _ client: Client)
        throws(InvariantViolation)
    {
        guard let seq = change.number("seq") else { return }
        // If a client watches a session a second time, the answer may show changes whose notifications arrive only later.
        // If the session was closed and opened again in one batch, the client may also receive changes of the earlier session
        // with this name. `entryWhenWatched` is the entry in the answer to `watch`, until the client receives a
        // newer change.
        if let last = client.lastSeq[session], let entry = client.entryWhenWatched[session],
            seq <= last || change.number("pos").map({ $0 < entry }) == true
        {
            return
        }
        client.entryWhenWatched[session] = nil
        if let last = client.lastSeq[session], change.text("kind") != "open" {
            try expect(
                seq == last + 1,
                "client \(client.number) receives \(session) #\(seq) after #\(last)"
            )
        }
        client.lastSeq[session] = change.text("kind") == "close" ? nil : seq
    }

    // MARK: changes and sessions

    func checkChange(_ members: [Member], _ context: String) throws(InvariantViolation) {
        // `deferred` is in answers only, not in rows.
        let change = members.filter { $0.name != "deferred" }
        guard let pos = change.number("pos"), let seq = change.number("seq"),
            let name = change.text("session")
        else { throw InvariantViolation("\(context) contains no change") }
        if Self.isBeat(change) {
            return try expect(
                seq == 0 || !changes(name, seq).isEmpty,
                "\(context): \(name) #\(seq) is not on the disk")
        }
        guard let stored = journal.change(at: pos) else {
            throw InvariantViolation("\(context): \(name) #\(seq) at \(pos) is not on the disk")
        }
        try expect(
            Self.areSame(change, stored.members) && stored.row.seq == seq
                && stored.row.session == name,
            "\(context): \(name) #\(seq) at \(pos) differs from the row on the disk:\n\(Self.text(change))\n\(stored.row.text)"
        )
        if let before = receivedChanges[pos] {
            try expect(
                before == change,
                "\(context): \(name) #\(seq) at \(pos) differs from what a client received before:\n\(Self.text(before))\n\(Self.text(change))"
            )
        }
        receivedChanges[pos] = change
        counts["changes received"] += 1
    }

    static func text(_ members: [Member]) -> String {
        String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }

    /// Whether a change that a client has received agrees with the body of a row. Compares only the members that changes and
    /// rows have in common.
    static func areSame(_ change: [Member], _ body: [Member]) -> Bool {
        let isSame = ["entry", "kind", "event", "source", "from", "to", "reason", "timer"]
            .allSatisfy {
                change[$0] == body[$0]
            }
        return isSame && effects(change) == effects(body)
    }

    /// The effects without their member `entry`. The effects that a client receives have this member; the effects in a row do
    /// not.
    private static func effects(_ change: [Member]) -> [[Member]] {
        change.list("effects").map { $0.filter { $0.name != "entry" } }
    }

    /// Whether a change is a beat. A beat has no numbers of its own: its `seq` is the `seq` of the previous change.
    static func isBeat(_ change: [Member]) -> Bool {
        change.text("kind") == "keep" && change["from"] == change["to"]
            && change.list("effects").isEmpty
    }

    func checkSession(_ session: [Member], _ context: String) throws(InvariantViolation) {
        guard let name = session.text("session"), let seq = session.number("seq"),
            session["quarantined"] == nil
        else { return }
        let shownState = (session.text("state"), session.object("data"))
        try expect(
            changes(name, seq).contains {
                stateName($0.to) == shownState.0 && Self.data($0.to) == shownState.1
            },
            "\(context): \(name) #\(seq) in \(shownState) is not on the disk")
    }

    func checkListLine(_ line: [Member]) throws(InvariantViolation) {
        guard let name = line.text("session"), let seq = line.number("seq") else { return }
        try expect(
            changes(name, seq).contains { stateName($0.to) == line.text("state") },
            "the list shows \(name) #\(seq) in \(line.text("state") ?? "?"), which is not on the disk"
        )
    }

    func stateName(_ value: Value?) -> String? {
        if case .object(let members)? = value { members.text("state") } else { nil }
    }

    static func data(_ value: Value?) -> [Member]? {
        if case .object(let members)? = value { members.object("data") } else { nil }
    }

    /// The changes with this `seq` of all sessions of this name, the open one and earlier ones.
    func changes(_ session: String, _ seq: Int) -> [JournalReader.ReadRow] {
        (journal.rowsBySession[session] ?? []).filter {
            $0.row.seq == seq && $0.row.kind == .change
        }
    }
}
