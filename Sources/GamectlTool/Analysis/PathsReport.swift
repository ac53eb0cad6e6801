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
    /// What was not searched, a sentence each. If there is a sentence, there may be shorter paths, and paths to more states.
    let incompleteness: [String]
    /// The events whose ranges of arguments were not tried whole.
    private let eventsNotTriedWhole: [String]

    /// Finds the paths to `state`. If `state` is nil, finds the paths to each state of the flow. The search ends after `moves`
    /// moves.
    init(
        _ flow: AnyFlow, to state: String?, moves: Int = SearchLimit.pathsMoves.maximum,
        _ terminal: Terminal
    ) {
        (self.flow, self.terminal) = (flow, terminal)
        let paths = Paths(flow, moves: moves)
        incompleteness = paths.incompleteness.map { [$0] } ?? []
        eventsNotTriedWhole = paths.eventsNotTriedWhole
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
        return [terminal.paint(flow.name, .bold)] + table.lines(terminal, indent: "  ")
            + SearchNotes(incompleteness, eventsNotTriedWhole).lines(terminal)
    }

    /// A path as the cells `STEPS`, `TIME` and `BY` of a row.
    private func cells(_ path: Paths.Path) -> [String] {
        [
            "\(path.moveCount)", DurationText.write(path.time),
            path.moves.text,
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
            Member("unreachable", unreached.value),
            Member("complete", incompleteness.isEmpty),
            Member("incomplete", incompleteness.value),
            Member("notTriedWhole", eventsNotTriedWhole.value),
        ]
    }

    private func jsonObject(_ path: Paths.Path) -> Value {
        .object([
            Member("steps", path.moveCount), Member("ms", Int(path.time.milliseconds)),
            Member("moves", .array(path.moves.map(MoveText.json))),
        ])
    }
}

/// Writes the moves of a path as JSON, for the reports of `gamectl paths` and `gamectl races`.
enum MoveText {
    /// One move as an object: an event has `send` and `args`, a wait has `wait` and `ms`. `wait` is the signal that ended the
    /// wait, or null if no signal did. `outcomes` are those of the move's draws of random values, counted from 1.
    static func json(_ completedMove: CompletedMove) -> Value {
        .object(members(completedMove.move, completedMove.duration))
    }

    private static func members(_ move: Move, _ duration: Duration) -> [Member] {
        switch move {
        case .send(let event, let arguments):
            [Member("send", event), Member("args", .object(arguments))]
        case .wait(let signal): [Member("wait", signal), Member("ms", Int(duration.milliseconds))]
        case .linger: [Member("wait", .null), Member("ms", Int(duration.milliseconds))]
        case .drawing(let outcomes, let move):
            members(move, duration) + [Member("outcomes", .array(outcomes.map { .int($0 + 1) }))]
        }
    }
}
