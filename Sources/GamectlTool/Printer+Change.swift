import GameFlow
import Sessions
import Shell
import Timers

/// Prints changes, each in one line.
extension Printer {
    /// `#17 playingLevel → finishedLevel  completeLevel score=100  [presentScore]`
    func change(_ change: Value) throws(CommandError) -> String {
        "#\(try change.number("seq")) \(try changeWithoutNumber(change))"
    }

    /// As `change`, but without the number. Used also for beats and for records of the journal, which need not have a number.
    func changeWithoutNumber(_ change: Value) throws(CommandError) -> String {
        var parts = [try states(change)]
        if let event = change.find("event") { parts.append(try self.event(event)) }
        let effects = try effects(change)
        if !effects.isEmpty { parts.append(terminal.paint(effects, .cyan)) }
        let kind = ChangeKind.find(name: try change.text("kind"))
        if let details = kind?.details?.init(in: change.members),
            let text = details.text(TerminalFormat())
        {
            parts.append(text)
        }
        if let reason = change.find("reason") { parts.append("(\(TerminalSafe.text(reason)))") }
        return parts.joined(separator: "  ")
    }

    /// The states before and after the change. If the change entered no state, the present state, and in most cases a word for
    /// what happened, such as `deferred`.
    private func states(_ change: Value) throws(CommandError) -> String {
        let from = try change.find("from").map { (record) throws(CommandError) in
            try record.escapedText("state")
        }
        let to = try change.find("to").map { (record) throws(CommandError) in
            terminal.paint(try record.escapedText("state"), .bold)
        }
        let name = try change.escapedText("kind")
        let phrase = ChangeKind.find(name: name)?.phrase ?? .namedTransition
        switch (phrase, from, to) {
        case (.opening, _, let to?): return "opened → \(to)"
        case (.closing, let from?, _): return "\(from) → closed"
        case (.transition, let from?, let to?): return "\(from) → \(to)"
        case (.state, _, let to?): return to
        case (.namedState, _, let to?): return "\(to)  \(name)"
        case (.word(let word), let from?, _): return "\(from)  \(word)"
        default: return "\(from ?? "–") → \(to ?? "–")  \(name)"
        }
    }

    /// `completeLevel score=100`. The daemon sends null in place of an event that the flow hides from the user.
    func event(_ event: Value) throws(CommandError) -> String {
        guard event != .null else { return "a hidden event" }
        let arguments = TerminalSafe.pairs(event.find("args")?.members ?? [])
        return try event.escapedText("name") + (arguments.isEmpty ? "" : " \(arguments)")
    }

    /// The effects that the change requested, in brackets; empty if there are none.
    private func effects(_ change: Value) throws(CommandError) -> String {
        var texts: [String] = []
        guard change.find("effects") != nil else { return "" }
        for effect in try change.list("effects") { texts.append(try event(effect)) }
        return texts.isEmpty ? "" : "[\(texts.joined(separator: ", "))]"
    }

    /// One line for each timer that fired during an `advance` request, with the time on the virtual clock. `page` is the result
    /// of the request.
    func firings(_ page: AdvancePage) throws(CommandError) -> [String] {
        var lines: [String] = []
        for firing in page.firings {
            let time = ClockText.sinceZero(try firing.number("atMs"))
            let session = try firing.escapedText("session")
            lines.append(
                "\(terminal.paint(time, .dim))  \(session)  \(try firing.escapedText("fires"))")
        }
        return lines
    }
}

/// Writes the details of a change for a terminal.
private struct TerminalFormat: DetailsFormat {
    func text(_ text: String) -> String { TerminalSafe.escaped(text) }
    func texts(_ members: [Member]) -> String { TerminalSafe.texts(members) }
    func length(_ duration: Duration) -> String {
        TimerStatus.length(Int(duration.milliseconds))
    }
}
