/// Somebody who follows a machine's published state. It is told as long as this is held on to.
public final class Observation {
    private weak var machine: AnyMachine?
    let tell: (Place) -> Void

    init(_ machine: AnyMachine, _ tell: @escaping (Place) -> Void) {
        (self.machine, self.tell) = (machine, tell)
    }

    /// Ends it before it is let go of.
    public func end() { machine?.forget(self) }
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

    /// Those that there are now: one that is added while these are told has the present already.
    var live: [Observation] { boxes.compactMap(\.observation) }
}
