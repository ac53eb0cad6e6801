import GameFlow
import Shell

/// Sessions: one of them as it is, or many of them in a table.
extension Printer {
    func status(_ session: Value) throws(Failure) -> [String] {
        let name = terminal.paint(try session.shown("session"), .bold)
        let state = terminal.paint(try session.shown("state"), .green)
        let isFinal = try session.truth("final")
        let head =
            "\(name)  \(try session.shown("flow")) · \(state)\(isFinal ? " (final)" : "")"
            + " · #\(try session.number("seq"))"
        var facts: [(String, [String])] = []
        let data = try session.member("data").members
        if !data.isEmpty { facts.append(("data", [TerminalSafe.pairs(data)])) }
        let timers = try TimerFact.all(of: session)
        if !timers.isEmpty { facts.append(("timers", bars(timers))) }
        let accepts = try session.names("accepts")
        let list = Table.wrap(accepts.isEmpty ? ["nothing"] : separated(accepts), width: 68)
        facts.append(("accepts", list))
        let deferred = try session.number("deferred")
        if deferred > 0 { facts.append(("deferred", ["\(deferred)"])) }
        return [head] + self.facts(facts) + outage(session)
    }

    private func bars(_ timers: [TimerFact]) -> [String] {
        let width = timers.map(\.fires.count).max() ?? 0
        return timers.map { timer in
            let left = timer.remainingMs
            let name = Table.pad(timer.fires, width)
            return "\(name)  \(terminal.paint(timer.bar(left), .cyan)) \(timer.words(left))"
        }
    }

    func separated(_ names: [String]) -> [String] {
        names.enumerated().map { $0.offset < names.count - 1 ? $0.element + "," : $0.element }
    }

    func list(_ result: Value) throws(Failure) -> [String] {
        var table = Table(header: ["SESSION", "FLOW", "STATE", "SEQ"])
        var last = ""
        let sessions = try result.list("sessions")
        for session in sessions {
            last = try session.shown("session")
            table.add([
                last, try session.shown("flow"), try session.shown("state"),
                "\(try session.number("seq"))",
            ])
        }
        let more = try result.truth("more")
        if sessions.isEmpty { return [more ? "none here, but there are more" : "no session"] }
        let hint = "there are more: gamectl list after=\(last)"
        return table.lines(terminal) + (more ? [terminal.paint(hint, .yellow)] : [])
    }
}
