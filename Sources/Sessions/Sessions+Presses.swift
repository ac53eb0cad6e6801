internal import GameFlow
internal import Support
internal import Timers

/// Who pressed first: the events of one name, accepted and refused, in the order in which the daemon received them.
extension Sessions {
    /// The presses since the session last entered a state that takes the event, the first one first.
    public struct Presses {
        public let records: [Record]
        /// Whether nothing is missing. Changes and refusals beyond the limits are forgotten, and a restart forgets refusals.
        public let isComplete: Bool
    }

    /// Returns the presses of an event in a session, from memory.
    public func presses(of event: String, in session: Session) -> Presses {
        var takingStates = TakingStates(session.flow, event)
        var changes: [Change] = []
        var change = session.last
        while let each = change, !takingStates.areEntered(by: each) {
            if each.step.event?.name.hasSameBytes(as: event) == true { changes.append(each) }
            change = ring[each.previous]
        }
        var refused: [RefusedEvent] = []
        var number = session.lastRefusal
        while let refusal = refusals[number], refusal.seq >= change?.seq ?? 0 {
            if refusal.event.name.hasSameBytes(as: event) { refused.append(refusal) }
            number = refusal.previous
        }
        let isForgotten = number != 0 && refusals[number] == nil
        let entered = change.map { $0.at >= beginning } ?? false
        return Presses(
            records: Self.merged(changes.reversed(), refused.reversed()),
            isComplete: entered && !isForgotten)
    }

    /// Merges changes and refusals, both the oldest first. A refusal came after the change with its `seq`.
    private static func merged(_ changes: [Change], _ refused: [RefusedEvent]) -> [Record] {
        var records: [Record] = []
        var rest = refused[...]
        for change in changes {
            let earlier = rest.prefix { $0.seq < change.seq }
            records += earlier.map { .refusal($0) }
            rest = rest.dropFirst(earlier.count)
            records.append(.change(change))
        }
        return records + rest.map { .refusal($0) }
    }
}

/// The states of a flow that take an event. A state is tried once, with the data of its newest visit.
private struct TakingStates {
    private let flow: AnyFlow
    private let event: String
    private var known: [String: Bool] = [:]

    init(_ flow: AnyFlow, _ event: String) { (self.flow, self.event) = (flow, event) }

    /// Whether a change entered a state that takes the event.
    mutating func areEntered(by change: Change) -> Bool {
        guard change.step.kind.isEntry, let place = change.step.to else { return false }
        if let isTaking = known[place.state] { return isTaking }
        let snapshot = MachineRecord(place: place, timers: [], waiting: [])
        let isTaking =
            flow.describe(snapshot, at: change.at)?.accepts
            .contains { $0.hasSameBytes(as: event) } ?? false
        known[place.state] = isTaking
        return isTaking
    }
}
