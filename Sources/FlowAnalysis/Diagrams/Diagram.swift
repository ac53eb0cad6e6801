public import GameFlow
internal import Timers

/// A flow's diagram, drawn from what its real selector answers.
public struct Diagram {
    /// The languages it can be written in.
    public enum Format: String, CaseIterable, Sendable { case mermaid, dot, scxml }

    let flow: AnyFlow
    let states: [FlowModel]

    public init(_ flow: AnyFlow) {
        self.flow = flow
        states = flow.survey
    }

    /// The diagram in that language, each line with its newline.
    public func text(_ format: Format) -> String {
        switch format {
        case .mermaid: mermaid
        case .dot: dot
        case .scxml: scxml
        }
    }

    /// All ways from one state to another, or back into itself.
    struct Way {
        let to: String
        var events: [String] = []
        var timers: [LiveTimer] = []
        /// Whether the state is only kept.
        let isKeep: Bool
    }

    /// The ways out of a state, and those that stay, in the order in which they come up.
    func ways(from state: FlowModel) -> [Way] {
        var ways: [Way] = []
        for verdict in state.liveVerdicts {
            for (index, outcome) in verdict.outcomes.enumerated() {
                let (to, isKeep): (String, Bool)
                switch outcome {
                case .enters(let next, _): (to, isKeep) = (next, false)
                case .keeps: (to, isKeep) = (state.state, true)
                case .defers, .refused: continue
                }
                let known = ways.firstIndex { $0.to == to && $0.isKeep == isKeep }
                let place = known ?? ways.endIndex
                if known == nil { ways.append(Way(to: to, isKeep: isKeep)) }
                if verdict.isSignal, let timer = state.timer(verdict.on) {
                    ways[place].timers.append(timer)
                } else {
                    ways[place].events.append(verdict.title(of: index))
                }
            }
        }
        return ways
    }

    func isFinal(_ state: FlowModel) -> Bool { flow.finals.contains(state.state) }
}

extension LiveTimer {
    /// Its time as people read it: `90 s`, `250 ms`.
    var length: String { length(" ") }

    /// The same with something else before the unit.
    func length(_ separator: String) -> String {
        let ms = info.total.milliseconds
        return ms % 1000 == 0 ? "\(ms / 1000)\(separator)s" : "\(ms)\(separator)ms"
    }
}
