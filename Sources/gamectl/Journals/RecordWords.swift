import Durability
import GameFlow
import JSON
import RPC
import Sessions
import Shell
internal import Support
import Timers

/// A record in words, and two that differ.
struct RecordWords {
    private let journal: OpenJournal
    private let printer: Printer

    init(_ journal: OpenJournal, _ terminal: Terminal) {
        (self.journal, printer) = (journal, Printer(terminal))
    }

    /// What happened, and the state and data after it: `#5 help → introduction  helpTimedOut`.
    func lines(_ record: SessionRecord?) -> [String] {
        guard let record else { return ["nothing"] }
        let facts = RecordFacts(record)
        if case .string(let signal) = facts.find("fired") {
            return ["\(TerminalSafe.word(signal)) fired, and nothing came of it"]
        }
        if facts.find("rest") != nil { return ["something that nobody was told of"] }
        guard let happening = try? printer.happening(.object(facts.members)) else {
            return ["something of the daemon's own"]
        }
        let source = facts.find("source").map { "  \(TerminalSafe.source($0))" } ?? ""
        let data = facts.place.map { TerminalSafe.pairs($0.data) } ?? ""
        return ["#\(record.seq) \(happening)\(source)"] + (data.isEmpty ? [] : ["   with \(data)"])
    }

    /// Where a session stands after a record: `playingLevel episode=1 level=2`.
    func standing(_ record: SessionRecord?) -> String {
        guard let record else { return "not open" }
        guard let place = RecordFacts(record).place else { return "closed" }
        let data = TerminalSafe.pairs(place.data)
        return TerminalSafe.word(place.state) + (data.isEmpty ? "" : " \(data)")
    }

    /// What was recorded and what comes of it now; where that reads the same, the members that differ.
    func lines(then: SessionRecord?, now: SessionRecord?) -> [String] {
        let (old, new) = (lines(then), lines(now))
        var table = Table()
        for (place, line) in old.enumerated() { table.add([place == 0 ? "then" : "", line]) }
        for (place, line) in new.enumerated() { table.add([place == 0 ? "now" : "", line]) }
        if let then, let now {
            if then.at != now.at {
                table.add(["when", "\(journal.time(then.at)), now \(journal.time(now.at))"])
            }
            if old == new {
                for one in RecordFacts(then).differences(from: RecordFacts(now)) {
                    let (here, there) = (value(one.here, one.member), value(one.there, one.member))
                    table.add(["member", "\(TerminalSafe.word(one.member)): \(here), now \(there)"])
                }
            }
        }
        return table.lines(Terminal(-1), indent: "  ")
    }

    /// A member's value; nanoseconds as the time, or the length of time, that they are.
    private func value(_ value: Value?, _ member: String) -> String {
        guard let value else { return "nothing" }
        guard member.hasSuffix("Ns"), case .string(let text) = value, let number = Int64(text)
        else { return TerminalSafe.value(value) }
        if member.hasSuffix("totalNs") || member.hasSuffix("leftNs") {
            return DurationText.write(Duration.nanoseconds(number))
        }
        return journal.time(Instant(nanoseconds: number))
    }

    // MARK: for programs

    /// A record as it was written; null where there is none.
    static func json(_ record: SessionRecord?) -> Value {
        guard let record else { return .null }
        return .object([
            Member("kind", "\(record.kind)"), Member("seq", record.seq),
            Member("atMs", Int(record.at.milliseconds)),
            Member("body", .object(RecordFacts(record).members)),
        ])
    }

    /// A state and its data; null where the session is closed, or was never open.
    static func standing(_ record: SessionRecord?) -> Value {
        guard let place = record.flatMap({ RecordFacts($0).place }) else { return .null }
        return .object([Member("state", place.state), Member("data", .object(place.data))])
    }
}
