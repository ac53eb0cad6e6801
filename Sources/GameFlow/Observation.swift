/// Somebody who follows a machine's published state. It is told as long as this is held on to.
public final class Observation {
    private weak var machine: AnyMachine?
    private let tell: (Place) -> Void
    private var isEnded = false

    init(_ machine: AnyMachine, _ tell: @escaping (Place) -> Void) {
        (self.machine, self.tell) = (machine, tell)
    }

    /// Ends it before it is let go of.
    public func end() {
        isEnded = true
        machine?.forget(self)
    }

    func take(_ place: Place) { if !isEnded { tell(place) } }
}

/// The observations of a machine; a box each, so that the machine holds none of them.
struct ObservationList {
    private struct Box { weak var observation: Observation? }
    private var boxes: [Box] = []

    var isEmpty: Bool { boxes.isEmpty }

    mutating func add(_ observation: Observation) {
        boxes.removeAll { $0.observation == nil }
        boxes.append(Box(observation: observation))
    }

    mutating func remove(_ observation: Observation) {
        boxes.removeAll { $0.observation == nil || $0.observation === observation }
    }

    /// Tells those that there are now: one that is added meanwhile has the present already, and one
    /// that ends meanwhile is not told any more.
    func tell(_ place: Place) {
        for box in boxes { box.observation?.take(place) }
    }
}
