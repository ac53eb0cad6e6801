/// The timers of one duration (a lane), in the order in which they were set, which is also the order of their
/// deadlines. Setting a timer appends to the list; ending a timer unlinks it.
struct DurationQueue {
    var duration: Int64
    var head = none
    var tail = none
    /// The key of the first timer in the order of all timers.
    var first = HeapKey.never
    /// The deadline of the last timer. A timer with an earlier deadline does not belong in this lane.
    var last: Int64 = .min

    /// The maximum number of lanes. Timers of further durations are kept in the heap.
    static let limit = 64

    var isEmpty: Bool { head == none }
}
