import GameFlow
import RPC
import Shell

/// Says for people what the daemon answered.
struct Printer {
    let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// A request's result in lines.
    func lines(of result: Value, to request: Request) throws(Failure) -> [String] {
        switch request.method {
        case .status, .open, .timer: try status(result)
        case .close: try closed(result)
        case .send, .goto: [try change(result)]
        case .list: try list(result)
        case .hello: try hello(result)
        case .describe: try describe(result)
        case .ping: [try result.truth("pong") ? "pong" : "no pong"] + outage(result)
        case .backup: ["\(try result.shown("to")): \(try backup(result))"]
        case .prune: [try pruned(result)]
        case .token: try token(result)
        case .bluetooth: try bluetooth(result, of: request.params["device"])
        case .auth: [try result.shown("role")]
        case .advance: try firings(AdvancePage(result)) + [AdvancePage(result).clock]
        default: result.members.isEmpty ? [] : [TerminalSafe.pairs(result.members)]
        }
    }

    private func closed(_ result: Value) throws(Failure) -> [String] {
        guard let why = result.find("quarantined") else {
            return ["closed, as it was:"] + (try status(result))
        }
        return ["given up, for it could not be taken up again: \(TerminalSafe.text(why))"]
    }

    /// Whether the daemon can keep nothing at present.
    func outage(_ result: Value) -> [String] {
        guard let why = result.find("storage") else { return [] }
        return [
            terminal.paint("the storage is out: \(TerminalSafe.text(why)); nothing changes", .red)
        ]
    }

    private func pruned(_ result: Value) throws(Failure) -> String {
        try result.truth("wasHeld")
            ? "old rows are removed from now on"
            : "nothing was held back; --keep is \(try result.shown("keep"))"
    }

    /// What a copy holds.
    func backup(_ result: Value) throws(Failure) -> String {
        let damaged = try result.number("damaged")
        let sound = damaged == 0 ? "all sound" : "\(damaged) of them damaged, as in the journal"
        let sessions = try result.number("sessions")
        return
            "\(try result.number("rows")) rows, \(sound); "
            + "\(sessions) \(sessions == 1 ? "session" : "sessions"), "
            + "\(try result.number("bytes")) bytes"
    }

    /// A new token alone on its line, for `TOKEN=$(gamectl token add NAME)`.
    private func token(_ result: Value) throws(Failure) -> [String] {
        if result.find("tokens") != nil { return try result.names("tokens") }
        if result.find("token") != nil { return [try result.shown("token")] }
        let ended = try result.number("ended")
        return [
            "\(try result.shown("name")) is no token any more; "
                + "\(ended) \(ended == 1 ? "connection" : "connections") ended"
        ]
    }

    /// Names and what they stand for, one under the other; what is long goes on below.
    func facts(_ facts: [(String, [String])], indent: String = "  ") -> [String] {
        let width = facts.map(\.0.count).max() ?? 0
        return facts.flatMap { name, lines in
            lines.enumerated().map { place, line in
                let name = Table.pad(place == 0 ? name : "", width)
                return "\(indent)\(terminal.paint(name, .dim))  \(line)"
            }
        }
    }
}
