import Durability
import GameFlow
import JSONCoding
import RPC
import Sessions
import Shell
internal import Support
import Timers

/// Writes a record of the journal as text and as JSON, and shows how two records differ, for the reports of `gamectl replay`.
struct RecordText {
    /// The journal, whose clock determines how times are written.
    private let journal: OpenJournal
    private let printer: Printer

    init(_ journal: OpenJournal, _ terminal: Terminal) {
        (self.journal, printer) = (journal, Printer(terminal))
    }

    /// A line with the change, such as `#5 help → introduction  helpTimedOut`. If the new state has data, a second line:
    /// `with episode=1 level=2`.
    func lines(_ record: SessionRecord?) -> [String] {
        guard let record else { return ["nothing"] }
        let content = RecordContent(record)
        // A timer that fired without a change.
        if case .string(let signal) = content.find("fired") {
            return ["\(TerminalSafe.escaped(signal)) fired, with no effect"]
        }
        if content.find("rest") != nil { return ["a request that changed nothing"] }
        let members = Self.clientMembers(content)
        guard let change = try? printer.changeWithoutNumber(.object(members)) else {
            return ["a record of the daemon itself"]
        }
        let source = content.find("source").map { "  \(TerminalSafe.source($0))" } ?? ""
        let data = content.state.map { TerminalSafe.pairs($0.data) } ?? ""
        return ["#\(record.seq) \(change)\(source)"] + (data.isEmpty ? [] : ["   with \(data)"])
    }

    /// The session's state after a record: `playingLevel episode=1 level=2`.
    func state(_ record: SessionRecord?) -> String {
        guard let record else { return "not open" }
        guard let state = RecordContent(record).state else { return "closed" }
        return TerminalSafe.named(state.state, state.data)
    }

    /// The lines about a recorded record (marked `then`) and about the replayed record (marked `now`). A missing record is nil.
    /// If the times of the records differ, a line marked `when` shows the times. If the lines about both records are equal,
    /// further lines show the members that differ.
    func lines(recorded: SessionRecord?, replayed: SessionRecord?) -> [String] {
        let (recordedLines, replayedLines) = (lines(recorded), lines(replayed))
        var table = Table()
        for (index, line) in recordedLines.enumerated() {
            table.add([index == 0 ? "then" : "", line])
        }
        for (index, line) in replayedLines.enumerated() {
            table.add([index == 0 ? "now" : "", line])
        }
        if let recorded, let replayed {
            if recorded.at != replayed.at {
                table.add([
                    "when", "\(journal.time(recorded.at)), now \(journal.time(replayed.at))",
                ])
            }
            if recordedLines == replayedLines {
                for difference in RecordContent(recorded).differences(from: RecordContent(replayed))
                {
                    let (recordedValue, replayedValue) = (
                        value(difference.value, difference.member),
                        value(difference.otherValue, difference.member)
                    )
                    table.add([
                        "member",
                        "\(TerminalSafe.escaped(difference.member)): \(recordedValue), now \(replayedValue)",
                    ])
                }
            }
        }
        // A table without a header uses no colours, so it needs no terminal. Therefore the descriptor is -1.
        return table.lines(Terminal(-1), indent: "  ")
    }

    /// A member's value; `nothing` for nil. The value of a member whose name ends in `Ns` is a text with a number of
    /// nanoseconds, and is shown as an instant or a duration.
    private func value(_ value: Value?, _ member: String) -> String {
        guard let value else { return "nothing" }
        guard member.hasSuffix("Ns"), case .string(let text) = value, let number = Int64(text)
        else { return TerminalSafe.value(value) }
        if member.hasSuffix("totalNs") || member.hasSuffix("leftNs") {
            return DurationText.write(Duration.nanoseconds(number))
        }
        return journal.time(Instant(nanoseconds: number))
    }

    // MARK: JSON

    /// A record as JSON; null for nil.
    static func json(_ record: SessionRecord?) -> Value {
        guard let record else { return .null }
        return .object([
            Member("kind", "\(record.kind)"), Member("seq", record.seq),
            Member("atMs", Int(record.at.milliseconds)),
            Member("body", .object(RecordContent(record).members)),
        ])
    }

    /// The session's state and data after a record; null if it is not open.
    static func state(_ record: SessionRecord?) -> Value {
        guard let state = record.flatMap({ RecordContent($0).state }) else { return .null }
        return .object([Member("state", state.state), Member("data", .object(state.data))])
    }

    /// The members as clients see them in a change: with the names that the details have for clients, and without those of the
    /// session after the change, which may be the same.
    private static func clientMembers(_ content: RecordContent) -> [Member] {
        guard let details = content.record.change?.details?.value else {
            return content.members
        }
        let names = (details.members + details.recordMembers).map(\.name)
        return content.members.filter { !names.contains($0.name) } + details.members
    }
}
