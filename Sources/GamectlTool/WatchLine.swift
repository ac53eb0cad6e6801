import GameFlow
import Shell
import Support

/// Writes a notification, or a record of a session's history, as a line of text.
struct WatchLine {
    /// Writes the parts of the line, and has the terminal of the output.
    let printer: Printer
    /// Whether times are counted from the virtual clock's zero; otherwise they are local time.
    let isVirtual: Bool
    /// Whether each line names its session.
    let showsSession: Bool

    /// The line for a notification; nil if the notification is not printed.
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

    /// The line for a record of a session's history.
    func record(_ record: Value) throws(CommandError) -> String {
        let number = "#\(try record.number("seq"))"
        guard try record.text("kind") == "refused" else {
            return try line(record, number, try printer.changeWithoutNumber(record))
        }
        return try line(record, "", try refused(record))
    }

    /// A line with the time, the session, the number of the change and the sender. `params` are the notification's parameters
    /// or the record; `number` is `#17`, or empty if there is no number.
    private func line(_ params: Value, _ number: String, _ description: String)
        throws(CommandError) -> String
    {
        let time = try time(params)
        let session = showsSession ? try params.escapedText("session") + "  " : ""
        let source = params.find("source").map { TerminalSafe.source($0) } ?? ""
        let terminal = printer.terminal
        // The column of the number is four characters wide, enough for `#999`; longer numbers move the rest of the line.
        return "\(time)  \(session)\(Table.pad(number, 4))  \(description)"
            + (source.isEmpty ? "" : "  " + terminal.paint(source, .dim))
    }

    /// The time of a notification or record: on a real clock what the wall clock showed then, which `time` says; `atMs` is the
    /// time of the daemon's clock, which does not follow the wall clock.
    private func time(_ params: Value) throws(CommandError) -> String {
        let atMs = try params.number("atMs")
        let dateMs = params.find("time")?.text.flatMap { ClockText.milliseconds(of: $0) }
        let text = isVirtual ? ClockText.sinceZero(atMs) : ClockText.timeOrDate(dateMs ?? atMs)
        return printer.terminal.paint(text, .dim)
    }

    /// The state and the event of a beat. If the pendulum missed periods before the beat, the number of these periods follows.
    private func beat(_ beat: Value) throws(CommandError) -> String {
        let missed = try beat.number("missed")
        return try printer.changeWithoutNumber(beat)
            + (missed > 0 ? "  (\(missed) missed)" : "")
    }

    /// A refused event and the reason.
    private func refused(_ params: Value) throws(CommandError) -> String {
        let error = try ErrorReply(try params.member("error"), of: params.find("source"))
        let event = try printer.event(try params.member("event"))
        let why = error.why
        return "refused \(printer.terminal.paint(error.title, .red))  \(event)"
            + (why.isEmpty ? "" : "  (\(why))")
    }

    /// The line for an input of a device that no `map` line matches.
    private func input(_ input: Value) throws(CommandError) -> String {
        "\(try time(input))  \(try input.escapedText("source"))  "
            + "\(try input.escapedText("device"))  \(try input.escapedText("input"))"
    }

    /// The line for a gap: which changes are missing, and the present state of the session or the number of sessions.
    private func gap(_ params: Value) throws(CommandError) -> String {
        let since = try params.number("since")
        let text: String
        if params.find("sessions") != nil {
            let count = try params.list("sessions").count
            let atLeast = try params.boolean("more") ? "at least " : ""
            text =
                "changes after pos \(since) are no longer remembered; now \(atLeast)\(CountText.write(count, "session"))"
        } else {
            let place = "in \(try params.escapedText("state")) (#\(try params.number("seq")))"
            text = "changes after #\(since) are no longer remembered; now \(place)"
        }
        return printer.terminal.paint("gap: \(text)", .yellow)
    }
}
