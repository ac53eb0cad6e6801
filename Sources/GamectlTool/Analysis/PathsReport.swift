import FlowAnalysis
import GameFlow
import RPC
import Shell
internal import Support
import Timers

/// The result of `paths`: the shortest paths to a flow's states.
struct PathsReport {
    private let flow: AnyFlow
    private let terminal: Terminal
    private let reached: [(state: String, inSteps: Paths.Path, inTime: Paths.Path)]
    private let unreached: [String]
    private let isComplete: Bool

    /// The paths to one state, or to all.
    init(_ flow: AnyFlow, to state: String?, _ terminal: Terminal) {
        (self.flow, self.terminal) = (flow, terminal)
        let paths = Paths(Exploration(flow))
        isComplete = paths.isComplete
        let states = state.map { [$0] } ?? flow.stateNames
        reached = states.compactMap { state in
            guard let inSteps = paths.shortestInMoves(to: state),
                let inTime = paths.shortestInTime(to: state)
            else { return nil }
            return (state, inSteps, inTime)
        }
        let reachedStates = reached.map(\.state)
        unreached = states.filter { !reachedStates.contains($0) }
    }

    // MARK: text

    var lines: [String] {
        var table = Table(header: ["TO", "STEPS", "TIME", "BY"])
        for (state, inSteps, inTime) in reached {
            // If the path with the fewest steps also takes the least time, one row is enough.
            let isSamePath = inSteps.moveCount == inTime.moveCount && inSteps.time == inTime.time
            table.add([state] + cells(isSamePath ? inTime : inSteps))
            if !isSamePath { table.add(["  sooner"] + cells(inTime)) }
        }
        for state in unreached { table.add([state, "–", "", "no path was found"]) }
        let partial = isComplete ? "" : "  (the exploration is incomplete)"
        return [terminal.paint(flow.name, .bold) + partial]
            + table.lines(terminal, indent: "  ")
    }

    private func cells(_ path: Paths.Path) -> [String] {
        [
            "\(path.moveCount)", DurationText.write(path.time),
            MoveText.moves(path.moves),
        ]
    }

    // MARK: JSON

    var json: [Member] {
        let paths = reached.map { state, inSteps, inTime in
            Value.object([
                Member("state", state), Member("inSteps", entry(inSteps)),
                Member("inTime", entry(inTime)),
            ])
        }
        return [
            Member("flow", flow.name), Member("paths", .array(paths)),
            Member("unreachable", unreached.value), Member("complete", isComplete),
        ]
    }

    private func entry(_ path: Paths.Path) -> Value {
        .object([
            Member("steps", path.moveCount), Member("ms", Int(path.time.milliseconds)),
            Member("moves", .array(path.moves.map(MoveText.json))),
        ])
    }
}

/// Moves as text and JSON.
enum MoveText {
    static func moves(_ moves: [CompletedMove]) -> String {
        moves.isEmpty
            ? "–" : moves.map { move($0.move, duration: $0.duration) }.joined(separator: " · ")
    }

    /// One move as text. `duration` is the time of a wait; nil leaves it out.
    static func move(_ move: Move, duration: Duration?) -> String {
        switch move {
        case .send(let event, let arguments):
            return arguments.isEmpty ? event : "\(event) \(TerminalSafe.pairs(arguments))"
        case .wait(let signal):
            guard let duration else { return signal }
            return "\(signal) after \(DurationText.write(duration))"
        case .linger(let time): return "wait \(DurationText.write(time))"
        }
    }

    static func json(_ completed: CompletedMove) -> Value {
        switch completed.move {
        case .send(let event, let arguments):
            .object([Member("send", event), Member("args", .object(arguments))])
        case .wait(let signal):
            .object([Member("wait", signal), Member("ms", Int(completed.duration.milliseconds))])
        case .linger:
            .object([Member("wait", .null), Member("ms", Int(completed.duration.milliseconds))])
        }
    }
}
