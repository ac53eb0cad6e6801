public import GameFlow
internal import Timers

/// One thing that may be done to a session: an event is sent, or somebody waits.
public enum Move: Equatable, Sendable {
    case send(_ event: String, _ arguments: [Member])
    /// Waits until the state's timer sends that signal.
    case wait(_ signal: String)
    /// Waits for a time in which the state is not left.
    case linger(_ time: Duration)

    /// What the flow is told then: the event's name, or the signal's; nil of mere waiting.
    public var event: String? {
        switch self {
        case .send(let event, _): event
        case .wait(let signal): signal
        case .linger: nil
        }
    }

    /// Everything that is worth trying in the flow's situations besides waiting.
    static func sends(of flow: AnyFlow) -> [Move] {
        flow.events.flatMap { event in event.samples.map { .send(event.name, $0) } }
    }
}

/// A move as it was made: how long it took, and where it led.
public struct Leg {
    public let move: Move
    /// How long was waited; zero of an event.
    public let took: Duration
    /// What it led to, everything that it set free included. Of beats in a row, the first.
    public let steps: [Step]
    /// The state and data in the end.
    public let place: StateRecord
}
