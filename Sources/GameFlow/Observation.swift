/// An observation of a machine's published state. It ends when the token is released.
public final class ObservationToken {
    private weak var machine: AnyMachine?
    private let report: (StateRecord) -> Void
    private var isEnded = false

    init(_ machine: AnyMachine, _ report: @escaping (StateRecord) -> Void) {
        (self.machine, self.report) = (machine, report)
    }

    /// Ends the observation before the token is released.
    public func end() {
        isEnded = true
        machine?.forget(self)
    }

    func take(_ place: StateRecord) { if !isEnded { report(place) } }
}

/// The observations of a machine, which the machine does not retain.
struct ObservationList {
    private struct Box { weak var observation: ObservationToken? }
    private var boxes: [Box] = []

    var isEmpty: Bool { boxes.isEmpty }

    mutating func add(_ observation: ObservationToken) {
        boxes.removeAll { $0.observation == nil }
        boxes.append(Box(observation: observation))
    }

    mutating func remove(_ observation: ObservationToken) {
        boxes.removeAll { $0.observation == nil || $0.observation === observation }
    }

    /// Calls the observations that exist at the time of the call. One that is added during the call has already
    /// received the present state; one that ends during the call is not called any more.
    func report(_ place: StateRecord) {
        for box in boxes { box.observation?.take(place) }
    }
}
