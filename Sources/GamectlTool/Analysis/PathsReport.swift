import FlowAnalysis
import GameFlow
import RPC
import Shell
internal import Support
import Timers

/// The output of `gamectl paths`: the shortest paths from a flow's initial state to its other states.
struct PathsReport {
    private let flow: AnyFlow
    private let terminal: Terminal
    /// The states to which paths were found, each with the path of the fewest moves and the path that takes the least time.
    private let reached: [(state: String, fewestMoves: Paths.Path, leastTime: Paths.Path)]
    /// The states to which no path was found.
    private let unreached: [String]
    /// Whether the exploration of the flow was complete; otherwise there may be shorter paths, and paths to more states.
    private let isComplete: Bool

    /// Explores the flow, and finds the paths to `state`. If `state` is nil, finds the paths to each state of the flow.
    init(_ flow: AnyFlow, to state: String?, _ terminal: Terminal) {
        (self.flow, self.terminal) = (flow, terminal)
        let paths = Paths(Exploration(flow))
        isComplete = paths.isComplete
        let states = state.map { [$0] } ?? flow.stateNames
        reached = states.compactMap { state in
            guard let fewestMoves = paths.shortestInMoves(to: state),
                let leastTime = paths.shortestInTime(to: state)
            else { return nil }
            return (state, fewestMoves, leastTime)
        }
        let reachedStates = reached.map(\.state)
        unreached = states.filter { !reachedStates.contains($0) }
    }

    // MARK: text

    var lines: [String] {
        var table = Table(header: ["TO", "STEPS", "TIME", "BY"])
        for (state, fewestMoves, leastTime) in reached {
            // If one path has the fewest moves and also takes the least time, one row is enough.
            let isOneRowEnough =
                fewestMoves.moveCount == leastTime.moveCount && fewestMoves.time == leastTime.time
            table.add([state] + cells(isOneRowEnough ? leastTime : fewestMoves))
            if !isOneRowEnough { table.add(["  sooner"] + cells(leastTime)) }
        }
        for state in unreached { table.add([state, "–", "", "no path was found"]) }
        let incompleteNote = isComplete ? "" : "  (the exploration is incomplete)"
        return [terminal.paint(flow.name, .bold) + incompleteNote]
            + table.lines(terminal, indent: "  ")
    }

    /// A path as the cells `STEPS`, `TIME` and `BY` of a row.
    private func cells(_ path: Paths.Path) -> [String] {
        [
            "\(path.moveCount)", DurationText.write(path.time),
            MoveText.moves(path.moves),
        ]
    }

    // MARK: JSON

    var json: [Member] {
        let paths = reached.map { state, fewestMoves, leastTime in
            Value.object([
                Member("state", state), Member("inSteps", jsonObject(fewestMoves)),
                Member("inTime", jsonObject(leastTime)),
            ])
        }
        return [
            Member("flow", flow.name), Member("paths", .array(paths)),
            Member("unreachable", unreached.value), Member("complete", isComplete),
        ]
    }

    private func jsonObject(_ path: Paths.Path) -> Value {
        .object([
            Member("steps", path.moveCount), Member("ms", Int(path.time.milliseconds)),
            Member("moves", .array(path.moves.map(MoveText.json))),
        ])
    }
}

/// Writes the moves of a path as text and as JSON, for the reports of `gamectl paths` and `gamectl races`.
enum MoveText {
    /// The moves in one line, such as `startPlaying · timeUp after 1m30s`; `–` if there are none. A `CompletedMove` is a move
    /// with the virtual time that it took.
    static func moves(_ moves: [CompletedMove]) -> String {
        moves.isEmpty
            ? "–" : moves.map { move($0.move, duration: $0.duration) }.joined(separator: " · ")
    }

    /// One move as text. `duration` is how long a wait for a signal took; if it is nil, the text does not contain it.
    static func move(_ move: Move, duration: Duration?) -> String {
        switch move {
        case .send(let event, let arguments):
            return TerminalSafe.named(event, arguments)
        case .wait(let signal):
            guard let duration else { return signal }
            return "\(signal) after \(DurationText.write(duration))"
        // A wait that no signal ends.
        case .linger(let time): return "wait \(DurationText.write(time))"
        }
    }

    /// One move as an object: an event has `send` and `args`, a wait has `wait` and `ms`. `wait` is the signal that ended the
    /// wait, or null if no signal did.
    static func json(_ completedMove: CompletedMove) -> Value {
        switch completedMove.move {
        case .send(let event, let arguments):
            .object([Member("send", event), Member("args", .object(arguments))])
        case .wait(let signal):
            .object([
                Member("wait", signal), Member("ms", Int(completedMove.duration.milliseconds)),
            ])
        case .linger:
            .object([
                Member("wait", .null), Member("ms", Int(completedMove.duration.milliseconds)),
            ])
        }
    }
}
