import GameFlow
import Shell

/// A notification as a line of text.
struct WatchLine {
    let printer: Printer
    /// Whether times are counted from the virtual clock's zero; otherwise they are local time.
    let isVirtual: Bool
    /// Whether each line names its session.
    let showsSession: Bool

    /// Nil for a notification that is not printed.
    func text(_ notification: Message.ServerNotification) throws(CommandError) -> String? {
        let params = notification.params
        switch notification.method {
        case "change":
            return try line(
                params, "#\(try params.number("seq"))", try printer.changeWithoutNumber(params))
        case "beat": return try line(params, "", try beat(params))
        case "refused": return try line(params, "", try refused(params))
        case "gap": return try gap(params)
        case "input": return try input(params)
        case "stuck": return try line(params, "", "stuck in \(try params.escapedText("state"))")
        default: return nil
        }
    }

    /// A record of a session's history.
    func record(_ record: Value) throws(CommandError) -> String {
        let number = "#\(try record.number("seq"))"
        guard try record.text("kind") == "refused" else {
            return try line(record, number, try printer.changeWithoutNumber(record))
        }
        return try line(record, "", try refused(record))
    }

    private func line(_ params: Value, _ number: String, _ description: String)
        throws(CommandError) -> String
    {
        let at = try params.number("atMs")
        let time = isVirtual ? ClockText.sinceZero(at) : ClockText.timeOfDay(at)
        let session = showsSession ? try params.escapedText("session") + "  " : ""
        let source = params.find("source").map { TerminalSafe.source($0) } ?? ""
        let terminal = printer.terminal
        return "\(terminal.paint(time, .dim))  \(session)\(Table.pad(number, 4))  \(description)"
            + (source.isEmpty ? "" : "  " + terminal.paint(source, .dim))
    }

    private func beat(_ beat: Value) throws(CommandError) -> String {
        let missed = try beat.number("missed")
        return try printer.changeWithoutNumber(beat)
            + (missed > 0 ? "  (\(missed) missed)" : "")
    }

    private func refused(_ params: Value) throws(CommandError) -> String {
        let refused = try ErrorReply(try params.member("error"), raw: [])
        let event = try printer.event(try params.member("event"))
        let why = refused.why
        return "refused \(printer.terminal.paint(refused.title, .red))  \(event)"
            + (why.isEmpty ? "" : "  (\(why))")
    }

    private func input(_ input: Value) throws(CommandError) -> String {
        let at = try input.number("atMs")
        let time = isVirtual ? ClockText.sinceZero(at) : ClockText.timeOfDay(at)
        return "\(printer.terminal.paint(time, .dim))  \(try input.escapedText("source"))  "
            + "\(try input.escapedText("device"))  \(try input.escapedText("input"))"
    }

    private func gap(_ params: Value) throws(CommandError) -> String {
        let since = try params.number("since")
        let text: String
        if params.find("sessions") != nil {
            let count = try params.list("sessions").count
            let more = try params.boolean("more") ? "at least " : ""
            text =
                "changes after pos \(since) are no longer remembered; now \(more)\(count) sessions"
        } else {
            let now = "in \(try params.escapedText("state")) (#\(try params.number("seq")))"
            text = "changes after #\(since) are no longer remembered; now \(now)"
        }
        return printer.terminal.paint("gap: \(text)", .yellow)
    }
}
