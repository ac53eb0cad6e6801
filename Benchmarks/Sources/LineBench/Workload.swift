import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import ShippedFlows
import Timers

/// Requests that are sent again and again to a daemon without sockets, to count their instructions.
///
/// Each run makes the same calls, so two runs count the same: no clock is read, and the order of sessions and connections is
/// computed from the number of the request.
struct Workload {
    let name: String
    /// The number of requests in a round.
    let requests: Int
    private let prepare: () throws -> (_ round: Int) -> Void

    struct UnknownWorkload: Error {}

    /// Prepares the daemon, and sends a number of rounds.
    func run(rounds: Int) throws {
        let runRound = try prepare()
        for round in 0..<rounds { runRound(round) }
    }

    static func named(_ name: String) throws -> Workload {
        guard let found = all.first(where: { $0.name == name }) else { throw UnknownWorkload() }
        return found
    }

    private static var all: [Workload] {
        [
            // A change, from one connection to one session.
            sends("send", connections: 1, sessions: 1),
            // The same with a store, whose rows are durable at once.
            sends("durable", connections: 1, sessions: 1, isDurable: true),
            // From 64 connections to 1 000 sessions.
            sends("send-64", connections: 64, sessions: 1000),
            sends("durable-64", connections: 64, sessions: 1000, isDurable: true),
            lines("text", ["send displayHelp", "send dismissHelp"]),
            lines("refused", [json("send", "{\"event\":\"dismissHelp\"}")]),
            lines("status", [json("status", "{}")]),
            lines(
                "open", [json("open", "{\"session\":\"x\"}"), json("close", "{\"session\":\"x\"}")]),
            lines(
                "batch",
                [
                    "["
                        + ["displayHelp", "dismissHelp"].map {
                            json("send", "{\"event\":\"\($0)\"}")
                        }
                        .joined(separator: ",") + "]"
                ], requests: 2),
            lines(
                "args",
                [json("send", "{\"event\":\"buzz\",\"args\":{\"player\":\"Ann\"}}"), "undo"],
                flow: "quiz", first: ["send start rounds=1"]),
        ]
    }

    private static func json(_ method: String, _ params: String) -> String {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":\(params)}"
    }

    /// A round sends the lines one after the other. `first` is sent before all rounds.
    private static func lines(
        _ name: String, _ lines: [String], requests: Int? = nil, flow: String = "game",
        first: [String] = []
    ) -> Workload {
        Workload(name: name, requests: requests ?? lines.count) {
            let daemon = try LocalDaemon(
                sessions: ["main"], flow: flow, isDurable: false, refuses: name == "refused")
            let caller = LocalCaller()
            for line in first { daemon.answer(Array(line.utf8), caller) }
            let bytes = lines.map { Array($0.utf8) }
            return { _ in
                for line in bytes { daemon.answer(line, caller) }
                daemon.endTurn()
            }
        }
    }

    /// A round sends two events to each of 32 sessions.
    private static func sends(
        _ name: String, connections: Int, sessions: Int, isDurable: Bool = false
    ) -> Workload {
        Workload(name: name, requests: 64) {
            let names = (0..<sessions).map { "room-\($0)" }
            let daemon = try LocalDaemon(sessions: names, flow: "game", isDurable: isDurable)
            let callers = (0..<connections).map(LocalCaller.init)
            let lines = names.map { name in
                ["displayHelp", "dismissHelp"].map {
                    Array(json("send", "{\"session\":\"\(name)\",\"event\":\"\($0)\"}").utf8)
                }
            }
            return { round in
                for number in round * 32..<round * 32 + 32 {
                    // A prime step visits all sessions in an order in which neighbours are far apart.
                    let session = number &* 619 % sessions
                    for line in lines[session] {
                        daemon.answer(line, callers[number % connections])
                    }
                }
                daemon.endTurn(callers)
            }
        }
    }
}

/// Sessions with a handler of the protocol, and with a store in memory if they are durable.
private final class LocalDaemon {
    private let handler: ProtocolHandler
    private let sessions: Sessions
    private let groupCommit: GroupCommit?
    /// Whether all requests are refused.
    private let refuses: Bool
    private var checksReplies = false

    init(sessions names: [String], flow: String, isDurable: Bool, refuses: Bool = false) throws {
        self.refuses = refuses
        sessions = Sessions([any Flow].shipped.map { $0.anyFlow }, on: VirtualClock())
        groupCommit = isDurable ? GroupCommit(sessions, in: MemoryStore()) : nil
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        handler = ProtocolHandler(Dispatcher(sessions, identity))
        let caller = LocalCaller()
        for name in names {
            _ = try sessions.open(
                SessionName(name)!, sessions.flow(flow), RequestContext(from: caller.source))
        }
        endTurn()
        checksReplies = !isDurable
    }

    func answer(_ line: [UInt8], _ caller: LocalCaller) {
        handler.answer(.line(line[...]), from: caller)
        let reply = caller.outbox.takeSendableBytes()
        guard checksReplies else { return }
        let text = String(decoding: reply, as: UTF8.self)
        precondition(
            (text.contains("\"error\":") || text.hasPrefix("ERR")) == refuses,
            "\(String(decoding: line, as: UTF8.self)): \(text)")
    }

    /// Passes the rows of the turn to the store, which makes them durable, and drops the replies that waited for them. Only the
    /// replies of the first turn are checked, because the instructions of the others are counted.
    func endTurn(_ callers: [LocalCaller] = []) {
        groupCommit?.flush()
        checksReplies = false
        guard sessions.isRecorded else { return }
        for caller in callers {
            caller.outbox.release(upTo: sessions.durableRow)
            _ = caller.outbox.takeSendableBytes()
        }
    }
}
