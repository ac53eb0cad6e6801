import GameFlow
import Shell

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
        if let timer = change.find("timer") { parts.append(try operation(timer)) }
        let effects = try effects(change)
        if !effects.isEmpty { parts.append(terminal.paint(effects, .cyan)) }
        if let labels = change.find("labels") { parts.append(TerminalSafe.texts(labels.members)) }
        if let text = change.find("say") { parts.append("“\(TerminalSafe.text(text))”") }
        if let versions = change.find("versions") {
            let (from, to) = (try versions.escapedText("from"), try versions.escapedText("to"))
            parts.append(from == to ? "version \(from), the newest" : "version \(from) → \(to)")
        }
        if let undone = change.find("undone") {
            let (first, last) = (try undone.number("from"), try undone.number("to"))
            parts.append(first == last ? "undid #\(first)" : "undid #\(first) to #\(last)")
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
        let kind = try change.escapedText("kind")
        switch (kind, from, to) {
        case ("open", _, let to?): return "opened → \(to)"
        case ("close", let from?, _): return "\(from) → closed"
        case ("enter", let from?, let to?): return "\(from) → \(to)"
        case ("goto", let from?, let to?): return "\(from) → \(to)  goto"
        case ("keep", _, let to?), ("timer", _, let to?): return to
        case ("label", _, let to?), ("say", _, let to?), ("move", _, let to?):
            return "\(to)  \(kind)"
        case ("defer", let from?, _): return "\(from)  deferred"
        case ("drop", let from?, _): return "\(from)  dropped"
        default: return "\(from ?? "–") → \(to ?? "–")  \(kind)"
        }
    }

    /// `completeLevel score=100`. The daemon sends null in place of an event that the flow hides from the user.
    func event(_ event: Value) throws(CommandError) -> String {
        guard event != .null else { return "a hidden event" }
        let arguments = TerminalSafe.pairs(event.find("args")?.members ?? [])
        return try event.escapedText("name") + (arguments.isEmpty ? "" : " \(arguments)")
    }

    /// An operator's command to a timer: `timeUp extend by 0:30`.
    private func operation(_ timer: Value) throws(CommandError) -> String {
        let action = try timer.escapedText("action")
        let by =
            try timer.find("byMs") == nil ? "" : " by \(TimerStatus.length(timer.number("byMs")))"
        let to =
            try timer.find("toMs") == nil ? "" : " to \(TimerStatus.length(timer.number("toMs")))"
        return "\(try timer.escapedText("fires")) \(action)\(by)\(to)"
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
