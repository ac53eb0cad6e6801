import GameFlow
import Shell

/// A notification as a line for people.
struct WatchLine {
    let printer: Printer
    /// Virtual time is counted from its zero; real time is shown as a wall clock here has it.
    let isVirtual: Bool
    /// Of several sessions each line says which it is about.
    let showsSession: Bool

    /// Nil of a notification that is nothing to people.
    func text(_ notice: Message.Notice) throws(Failure) -> String? {
        let params = notice.params
        switch notice.method {
        case "change":
            return try line(params, "#\(try params.number("seq"))", try printer.happening(params))
        case "beat": return try line(params, "", try beat(params))
        case "refused": return try line(params, "", try refused(params))
        case "gap": return try gap(params)
        default: return nil
        }
    }

    /// A record of a session's history.
    func record(_ record: Value) throws(Failure) -> String {
        let number = "#\(try record.number("seq"))"
        guard try record.text("kind") == "refused" else {
            return try line(record, number, try printer.happening(record))
        }
        return try line(record, "", try refused(record))
    }

    private func line(_ params: Value, _ number: String, _ what: String) throws(Failure) -> String {
        let at = try params.number("atMs")
        let time = isVirtual ? ClockText.sinceZero(at) : ClockText.timeOfDay(at)
        let session = showsSession ? try params.shown("session") + "  " : ""
        let source = params.find("source").map { TerminalSafe.source($0) } ?? ""
        let terminal = printer.terminal
        return "\(terminal.paint(time, .dim))  \(session)\(Table.pad(number, 4))  \(what)"
            + (source.isEmpty ? "" : "  " + terminal.paint(source, .dim))
    }

    private func beat(_ beat: Value) throws(Failure) -> String {
        let missed = try beat.number("missed")
        return try printer.happening(beat)
            + (missed > 0 ? "  (\(missed) missed)" : "")
    }

    private func refused(_ params: Value) throws(Failure) -> String {
        let refused = try Refused(try params.member("error"), raw: [])
        let event = try printer.event(try params.member("event"))
        let why = refused.why
        return "refused \(printer.terminal.paint(refused.title, .red))  \(event)"
            + (why.isEmpty ? "" : "  (\(why))")
    }

    private func gap(_ params: Value) throws(Failure) -> String {
        let since = try params.number("since")
        let text: String
        if params.find("sessions") != nil {
            let count = try params.list("sessions").count
            let more = try params.truth("more") ? "at least " : ""
            text =
                "what came after pos \(since) is not known any more; now \(more)\(count) sessions"
        } else {
            let now = "in \(try params.shown("state")) (#\(try params.number("seq")))"
            text = "what came after #\(since) is not known any more; now \(now)"
        }
        return printer.terminal.paint("gap: \(text)", .yellow)
    }
}
