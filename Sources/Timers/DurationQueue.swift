/// Timers of one duration, in the order in which they were set, which is the order in which they come
/// due: setting one is appending, ending one is unlinking.
struct DurationQueue {
    var duration: Int64
    var head = none
    var tail = none
    /// The head's place in the order of all timers.
    var first = HeapKey.never
    /// The tail's deadline: what is set to an earlier one does not belong into this lane.
    var last: Int64 = .min

    /// How many durations have a lane; the timers of further ones are strays.
    static let limit = 64

    var isEmpty: Bool { head == none }
}
