import GameFlow
import JSONCoding
import RPC
import Sessions
import ShippedFlows
import Timers

/// `LineBench [COUNT]`: the time from a request's line to its reply, without a socket. Prints the nanoseconds for one line, the
/// best of five measurements with COUNT lines each.
///
/// `LineBench WORKLOAD ROUNDS`: sends the rounds of a workload; `Benchmarks/instructions` counts the instructions.
@main struct LineBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3 {
            return try Workload.named(arguments[1]).run(rounds: Int(arguments[2]) ?? 0)
        }
        let sessions = Sessions([any Flow].shipped.map { $0.anyFlow }, on: VirtualClock())
        let caller = LocalCaller()
        _ = try sessions.open(.main, sessions.flow("game"), RequestContext(from: caller.source))
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        let protocolHandler = ProtocolHandler(Dispatcher(sessions, identity))
        let lines = ["displayHelp", "dismissHelp"].map {
            Array(#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"\#($0)"}}"#.utf8)
        }
        let outbox = caller.outbox
        let count = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 1_000_000
        var best = Double.infinity
        for _ in 0..<5 {
            let clock = ContinuousClock()
            let duration = clock.measure {
                for number in 0..<count {
                    protocolHandler.answer(.line(lines[number & 1][...]), from: caller)
                    // Drops 32 replies at once, as if they had been sent together.
                    if number & 31 == 31 { outbox.writer.truncate(to: 0) }
                }
            }
            best = min(
                best,
                Double(duration.components.attoseconds) / 1e9 / Double(count)
                    + Double(duration.components.seconds) * 1e9 / Double(count))
        }
        print("\(Int(best.rounded()))")
    }
}
