public import Timers

/// The error of a typed `send`: the reason, the state that refused, the refused event, and the earlier event that led into this
/// state.
///
/// An error must be `Sendable`. If `State` or `Event` is not, read the refusal only on the machine's own actor or thread, and do not
/// send it to another one.
public struct Refusal<State, Event>: Error {
    public let reason: Reason
    /// The state that refused the event; it is unchanged.
    public nonisolated(unsafe) let state: State
    public nonisolated(unsafe) let event: Event
    /// The event that led into `state`, and the instant at which the state was entered. Nil if the state was entered without an
    /// event, as the first state is.
    public nonisolated(unsafe) let last: (event: Event, at: Instant)?
    /// The flow of the machine, and its functions, which describe `state`. Nil for a refusal that no machine has made.
    @usableFromInline nonisolated(unsafe) let origin: (flow: AnyFlow, engine: Engine<State, Event>)?

    @inlinable public init(
        _ reason: Reason, _ state: State, _ event: Event, last: (event: Event, at: Instant)? = nil
    ) {
        self.init(reason, state, event, last: last, origin: nil)
    }

    @inlinable init(
        _ reason: Reason, _ state: State, _ event: Event, last: (event: Event, at: Instant)?,
        origin: (flow: AnyFlow, engine: Engine<State, Event>)?
    ) {
        (self.reason, self.state, self.event, self.last) = (reason, state, event, last)
        self.origin = origin
    }
}

extension Refusal {
    /// The name of the state that refused the event, for logs and metrics.
    public var stateName: String { place.state }
    /// The name of the refused event, for logs and metrics.
    public var eventName: String { EventRecord(describing: event).name }

    private var place: StateRecord {
        origin.map { $0.engine.stateRecord($0.engine, state) } ?? StateRecord(describing: state)
    }
}

/// A refusal as a sentence for people: `locked does not take buzz; it accepts judge, abandon; ann was first`.
extension Refusal: CustomStringConvertible {
    public var description: String {
        let (place, name) = (place, eventName)
        switch reason.code {
        case .noTransition:
            let accepts = accepted(in: place)
            // The state takes the event in other cases, such as with other arguments.
            let exception = accepts.contains(name) ? " now, or not with these arguments" : ""
            let acceptedText =
                accepts.isEmpty ? nil : "it accepts \(accepts.joined(separator: ", "))"
            return ["\(place.state) does not take \(name)\(exception)", acceptedText, first]
                .compactMap { $0 }.joined(separator: "; ")
        case .finished: return "\(place.state) is final and takes no \(name)"
        case .invalid: return "\(name): \(reason.explanation)"
        case .forbidden: return "only a timer sends \(name)"
        case .hookRefused, .handlerRefused:
            return "\(reason.subject) refuses \(name): \(reason.why)"
        case .stale: return "the entry that asked for \(name) is over"
        case .deferQueueFull: return "too many events wait, so \(name) is not deferred"
        case .tooManyPosts: return "too many events follow from one, so \(name) is not posted"
        case .unknownEvent, .unknownState: return "\(name): \(reason.sentence)"
        }
    }

    /// What the state accepts; empty if that is not known.
    private func accepted(in place: StateRecord) -> [String] {
        let snapshot = MachineRecord(place: place, timers: [], waiting: [])
        guard let flow = origin?.flow, !flow.stateNames.isEmpty,
            let names = flow.describe(snapshot, at: .zero)?.accepts
        else { return [] }
        return names
    }

    /// Who came first: the player that the last event names, or the event.
    private var first: String? {
        guard let last = last.map({ EventRecord(describing: $0.event) }) else { return nil }
        if case .string(let player)? = last.arguments[EventRecord.playerArgument] {
            return "\(player) was first"
        }
        return "\(last.name) was first"
    }
}
