public import GameFlow
import Metrics
import Synchronization
public import Timers

/// Counts what machines do, as counters of swift-metrics.
///
/// ```swift
/// let counts = MetricsHook(flow: "game")
/// let game = StateMachine(Game(), on: clock, hooks: [counts])
/// game.didRefuse = { counts.refused($0) }
/// do { try game.send(.startPlaying) } catch { counts.refused(error) }
/// ```
///
/// | counter | dimensions | counts |
/// |---|---|---|
/// | `gameflow_transitions` | `flow`, `event`, `from`, `to` | steps that a machine made; the event of a command is empty |
/// | `gameflow_refusals` | `flow`, `reason` | refused events; the reasons are those of `Reason.Code` |
///
/// The names are those of the flow's states and events, and never data of theirs. After `edgeLimit` different transitions, all
/// others are counted with `other` as event and states, so that a machine whose states come from outside does not fill the memory.
///
/// A hook may serve any number of machines of a flow, on any threads; use one for each flow.
public final class MetricsHook: StepHook, Sendable {
    public let name = "metrics"
    private let flow: String
    private let edgeLimit: Int
    private let counters = Mutex(Counters())

    private struct Edge: Hashable {
        let event, from, to: String
        static let other = Edge(event: "other", from: "other", to: "other")
    }

    private struct Counters {
        var transitions: [Edge: Counter] = [:]
        var refusals: [Reason.Code: Counter] = [:]
    }

    /// `flow` is the flow's name. The counters are those of the factory that the program has given to `MetricsSystem`.
    public init(flow: String, edgeLimit: Int = 1000) {
        (self.flow, self.edgeLimit) = (flow, edgeLimit)
    }

    /// Called by the machine after each step, on the machine's thread.
    public func after(_ step: Step, at now: Instant) {
        switch step.kind {
        case .defer: return
        case .drop: if let why = step.why { count(why.code) }
        default:
            count(
                Edge(
                    event: step.event?.name ?? "", from: step.from?.state ?? "",
                    to: step.to?.state ?? ""))
        }
    }

    /// Counts a refusal. A machine tells its hooks only about deferred events that it drops later. Call this function where `send`
    /// throws, and from `didRefuse`, which has the refusals of timers' signals and posted events.
    public func refused<State, Event>(_ refusal: Refusal<State, Event>) {
        count(refusal.reason.code)
    }

    private func count(_ edge: Edge) {
        counters.withLock { counters in
            let isKnown = counters.transitions[edge] != nil
            let edge = isKnown || counters.transitions.count < edgeLimit ? edge : .other
            let counter =
                counters.transitions[edge]
                ?? Counter(
                    label: "gameflow_transitions",
                    dimensions: [
                        ("flow", flow), ("event", edge.event), ("from", edge.from), ("to", edge.to),
                    ])
            counters.transitions[edge] = counter
            counter.increment()
        }
    }

    private func count(_ reason: Reason.Code) {
        counters.withLock { counters in
            let counter =
                counters.refusals[reason]
                ?? Counter(
                    label: "gameflow_refusals",
                    dimensions: [("flow", flow), ("reason", reason.rawValue)])
            counters.refusals[reason] = counter
            counter.increment()
        }
    }
}
