/// Somebody who follows a machine's published state. It is told as long as this is held on to.
public final class ObservationToken {
    private weak var machine: AnyMachine?
    private let tell: (StateRecord) -> Void
    private var isEnded = false

    init(_ machine: AnyMachine, _ tell: @escaping (StateRecord) -> Void) {
        (self.machine, self.tell) = (machine, tell)
    }

    /// Ends it before it is let go of.
    public func end() {
        isEnded = true
        machine?.forget(self)
    }

    func take(_ place: StateRecord) { if !isEnded { tell(place) } }
}

/// The observations of a machine; a box each, so that the machine holds none of them.
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

    /// Tells those that there are now: one that is added meanwhile has the present already, and one
    /// that ends meanwhile is not told any more.
    func tell(_ place: StateRecord) {
        for box in boxes { box.observation?.take(place) }
    }
}
