import GameFlow
import RPC
import Shell
import Support

/// Makes the lines of text that gamectl prints for the results of the daemon's methods. Each file `Printer+….swift` extends
/// `Printer` for the results of one method, or of a few related ones.
struct Printer {
    /// The terminal of the output; it determines whether colours are used.
    let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// The width at which the values of `nameValueLines` are wrapped. A line of 80 columns has two columns of indent, eight for
    /// the name, two spaces, and the value.
    static let valueWidth = 68

    /// The lines for the result of `request`. A result without a form of its own is printed as `name=value` pairs.
    func lines(of result: Value, to request: Request) throws(CommandError) -> [String] {
        switch request.method {
        case .timer where result.find("failed") != nil: try operated(result, request)
        case .status, .open, .timer: try status(result)
        case .close: try closed(result)
        case let method where method.resultIsChange: [try change(result)]
        case .flows: try flows(result)
        case .outputs: try outputs(result)
        case .sources: try sources(result, isOneRequested: request.params["name"] != nil)
        case .list: try list(result)
        case .hello: try hello(result)
        case .describe: try describe(result)
        case .ping: [try result.boolean("pong") ? "pong" : "no pong"] + outage(result)
        case .backup: ["\(try result.escapedText("to")): \(try backup(result))"]
        case .prune: try pruned(result)
        case .nodes: try nodes(result)
        case .reload: try reloaded(result)
        case .config: try settings(result)
        case .stats: try statistics(result)
        case .leaderboard: try leaderboard(result)
        case .token: try token(result, isForReader: terminal.isTerminal)
        case .invite: try invitation(result)
        case .screens: try screens(result)
        case .presses: try presses(result)
        case .alerts: try alerts(result)
        case .clients: try clients(result)
        case .bluetooth: try bluetooth(result, ofDevice: request.params["device"])
        case .auth: [try result.escapedText("role")]
        case .advance: try firings(AdvancePage(result)) + [AdvancePage(result).clockLine]
        default: result.members.isEmpty ? [] : [TerminalSafe.pairs(result.members)]
        }
    }

    /// The result of an operation on the timers of all sessions: how many have carried it out, and a line for each that has not.
    private func operated(_ result: Value, _ request: Request) throws(CommandError) -> [String] {
        let done = request.params["action"]?.text == "pause" ? "paused" : "resumed"
        var lines = ["\(done): \(CountText.write(try result.number("sessions"), "session"))"]
        for failure in try result.list("failed") {
            let error = try failure.member("error").escapedText("message")
            lines.append(terminal.paint("\(try failure.escapedText("session")): \(error)", .red))
        }
        if result.find("more") != nil { lines.append("more sessions have failed") }
        if case .int(let missing)? = result.find("missing"), missing > 0 {
            lines.append(
                terminal.paint(
                    "not reached: the sessions of \(CountText.write(missing, "shard"))", .yellow))
        }
        return lines
    }

    /// The result of `close`: the last status of the closed session. A quarantined session has no status.
    private func closed(_ result: Value) throws(CommandError) -> [String] {
        guard let why = result.find("quarantined") else {
            return ["closed; its last status was:"] + (try status(result))
        }
        return ["closed a quarantined session: \(TerminalSafe.text(why))"]
    }

    /// One line with the reason if the daemon cannot write its journal at present; otherwise none. `result` is the result of
    /// `ping` or a session's status.
    func outage(_ result: Value) -> [String] {
        guard let why = result.find("storage") else { return [] }
        return [
            terminal.paint(
                "storage unavailable: \(TerminalSafe.text(why)); changes are refused", .red)
        ]
    }

    /// The result of `journal prune`: how many rows were removed, and why other old rows stay. If the daemon had suspended the
    /// removal, the first line says so.
    private func pruned(_ result: Value) throws(CommandError) -> [String] {
        let keep = try result.escapedText("keep")
        var lines: [String] = []
        if try result.boolean("wasHeld") {
            lines.append("the removal of old rows was suspended; from now on they go each hour")
        }
        let removed = try result.number("removed")
        guard keep != "forever" else { return lines + ["no row is removed: --keep is forever"] }
        lines.append("\(CountText.write(removed, "row")) older than \(keep) removed")
        let needed = try result.member("needed")
        for (name, owner) in [
            ("open", "open sessions"),
            ("quarantined", "quarantined sessions; `gamectl close @NAME` discards one"),
            ("daemon", "the daemon itself"),
        ] {
            let count = try needed.number(name)
            if count > 0 {
                lines.append(
                    "\(count) older \(count == 1 ? "row is" : "rows are") needed for \(owner)")
            }
        }
        return lines
    }

    /// The result of `reload`: a line for each kind of change, and a sentence if nothing changed.
    private func reloaded(_ result: Value) throws(CommandError) -> [String] {
        let changed = try result.escapedTexts("changed")
        let restart = try result.escapedTexts("restart")
        var lines = [
            changed.isEmpty
                ? "nothing changed" : "changed: \(changed.joined(separator: ", "))"
        ]
        if !restart.isEmpty {
            let names = restart.joined(separator: ", ")
            lines.append(terminal.paint("needs a restart: \(names)", .yellow))
        }
        return lines
    }

    /// What a backup contains: the numbers of its rows, sessions and bytes, and whether its rows are damaged.
    func backup(_ result: Value) throws(CommandError) -> String {
        let damaged = try result.number("damaged")
        let sound = damaged == 0 ? "all sound" : "\(damaged) damaged (in the journal, too)"
        let sessions = try result.number("sessions")
        return
            "\(CountText.write(try result.number("rows"), "row")), \(sound); "
            + "\(CountText.write(sessions, "session")), "
            + CountText.write(try result.number("bytes"), "byte")
    }

    /// The result of `token list`, `token add` or `token remove`. A new token is alone on its line, for
    /// `TOKEN=$(gamectl token add NAME)`. For a reader, the address that signs in at the desk follows.
    func token(_ result: Value, isForReader: Bool) throws(CommandError) -> [String] {
        if result.find("tokens") != nil { return try result.escapedTexts("tokens") }
        if result.find("token") != nil {
            let token = try result.escapedText("token")
            guard isForReader, let page = result.find("page") else { return [token] }
            return [token, "the desk: \(TerminalSafe.text(page))/#token=\(token)"]
        }
        // The number of connections that used the token.
        let ended = try result.number("ended")
        return [
            "token \(try result.escapedText("name")) removed; "
                + "\(CountText.write(ended, "connection")) closed"
        ]
    }

    /// Names and values in two columns. The second element of a pair has the lines of the value.
    func nameValueLines(_ pairs: [(String, [String])], indent: String = "  ") -> [String] {
        let width = pairs.map(\.0.count).max() ?? 0
        return pairs.flatMap { name, lines in
            lines.enumerated().map { index, line in
                let name = Table.pad(index == 0 ? name : "", width)
                return "\(indent)\(terminal.paint(name, .dim))  \(line)"
            }
        }
    }
}

/// Prints sessions: one with its status, or several in a table.
extension Printer {
    /// The result of `status`, `open` or `timer`. The first line has the session's name, flow, state and `seq`. The next lines
    /// have the labels, message, data, timers, accepted events, settings and number of deferred events. If the storage does not
    /// work, the last line says so.
    func status(_ session: Value) throws(CommandError) -> [String] {
        let name = terminal.paint(try session.escapedText("session"), .bold)
        let state = terminal.paint(try session.escapedText("state"), .green)
        let isFinal = try session.boolean("final")
        let mark = isFinal ? " (final)" : stuckMark(session)
        let firstLine =
            "\(name)  \(try session.escapedText("flow")) · \(state)\(mark)"
            + " · #\(try session.number("seq"))"
        var pairs: [(String, [String])] = []
        let labels = session.find("labels")?.members ?? []
        if !labels.isEmpty { pairs.append(("labels", [TerminalSafe.texts(labels)])) }
        if let message = session.find("say") {
            pairs.append(("says", [try message.escapedText("text")]))
        }
        let data = try session.member("data").members
        if !data.isEmpty { pairs.append(("data", [TerminalSafe.pairs(data)])) }
        let timers = try TimerStatus.all(of: session)
        if !timers.isEmpty { pairs.append(("timers", timerLines(timers))) }
        let accepts = try session.escapedTexts("accepts")
        let acceptLines = Table.wrap(
            accepts.isEmpty ? ["nothing"] : commaSeparated(accepts), width: Self.valueWidth)
        pairs.append(("accepts", acceptLines))
        // The version of a flow from a file is a text, and the version of a compiled flow is a number. The settings of
        // compiled flows are left out, because the flows' documentation lists them; `--json` prints them.
        let isFromFile = session.find("version")?.text != nil
        let settings = session.find("settings")?.members ?? []
        if isFromFile, !settings.isEmpty {
            let words = settings.map { TerminalSafe.texts([$0]) }
            pairs.append(("settings", Table.wrap(words, width: Self.valueWidth)))
        }
        let deferred = try session.number("deferred")
        if deferred > 0 { pairs.append(("deferred", ["\(deferred)"])) }
        return [firstLine] + nameValueLines(pairs) + outage(session)
    }

    /// One line for each timer: the name of its signal, a bar for the time left, and the times.
    private func timerLines(_ timers: [TimerStatus]) -> [String] {
        let width = timers.map(\.signal.count).max() ?? 0
        return timers.map { timer in
            let remainingMs = timer.remainingMs
            let name = Table.pad(timer.signal, width)
            guard !timer.isStopwatch, timer.markText == nil else {
                return "\(name)  \(timer.words(remainingMs))"
            }
            let bar = terminal.paint(timer.bar(remainingMs), .cyan)
            return "\(name)  \(bar) \(timer.words(remainingMs))"
        }
    }

    /// The names as words of a list: a comma follows each name except the last.
    func commaSeparated(_ names: [String]) -> [String] {
        names.enumerated().map { $0.offset < names.count - 1 ? $0.element + "," : $0.element }
    }

    /// ` (stuck)` if the session stays in its state longer than usual; otherwise an empty text.
    private func stuckMark(_ session: Value) -> String {
        session.find("stuck") == .bool(true) ? " (stuck)" : ""
    }

    /// The result of `list`: a table of the sessions on one page, and, if there is a next page, how to get it.
    func list(_ result: Value) throws(CommandError) -> [String] {
        let sessions = try result.list("sessions")
        let hasLabels = sessions.contains { $0.find("labels") != nil }
        var table = Table(
            header: ["SESSION", "FLOW", "STATE", "SEQ"] + (hasLabels ? ["LABELS"] : []))
        var lastName = ""
        for session in sessions {
            lastName = try session.escapedText("session")
            let labels = TerminalSafe.texts(session.find("labels")?.members ?? [])
            table.add(
                [
                    lastName, try session.escapedText("flow"),
                    try session.escapedText("state") + stuckMark(session),
                    "\(try session.number("seq"))",
                ] + (hasLabels ? [labels] : []))
        }
        let hasMorePages = try result.boolean("more")
        let missing = try missingShards(result)
        if sessions.isEmpty {
            if hasMorePages { return ["no session on this page; other pages follow"] + missing }
            // Without the missing shards it is not known whether there is a session.
            return missing.isEmpty ? ["no session"] : missing
        }
        let hint = "there are more: gamectl list after=\(lastName)"
        return table.lines(terminal) + (hasMorePages ? [terminal.paint(hint, .yellow)] : [])
            + missing
    }

    /// A line that says which part of the sessions a list lacks; none if it has all.
    private func missingShards(_ result: Value) throws(CommandError) -> [String] {
        guard result.find("missing") != nil else { return [] }
        let missing = try result.number("missing")
        // A daemon that is older than this program does not tell the number of all shards.
        let all = result.find("shards") == nil ? "" : " of \(try result.number("shards"))"
        let words = missing == 1 && all.isEmpty ? "shard has" : "shards have"
        return [
            terminal.paint(
                "\(missing)\(all) \(words) no owner; their sessions are not listed", .red)
        ]
    }
}
