/// The virtual time of a simulation, and its scheduled events.
public final class SimulatedTime {
    private struct Event {
        let time: Int64
        let order: Int
        let work: () -> Void

        func precedes(_ other: Event) -> Bool { (time, order) < (other.time, other.order) }
    }

    /// The scheduled events, as a binary heap whose first element is the event that is due first.
    private var events: [Event] = []
    private var order = 0
    /// Microseconds since the start.
    public private(set) var now: Int64 = 0

    public init() {}

    /// Schedules `work` at `delay` microseconds from now. Work of one instant runs in the order in which it was scheduled.
    public func after(_ delay: Int64, _ work: @escaping () -> Void) {
        order += 1
        events.append(Event(time: now + max(0, delay), order: order, work: work))
        var index = events.count - 1
        while index > 0, events[index].precedes(events[(index - 1) / 2]) {
            events.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Runs the events up to `end`, in order, but no further event after `isOver` has returned true. Then sets `now` to `end`.
    public func run(until end: Int64, _ isOver: () -> Bool) {
        while !isOver(), let first = events.first, first.time <= end {
            removeFirst()
            now = first.time
            first.work()
        }
        now = end
    }

    /// Removes the event that is due first.
    private func removeFirst() {
        let last = events.removeLast()
        guard !events.isEmpty else { return }
        events[0] = last
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < events.count }
            guard let least = children.min(by: { events[$0].precedes(events[$1]) }),
                events[least].precedes(events[index])
            else { return }
            events.swapAt(index, least)
            index = least
        }
    }
}
