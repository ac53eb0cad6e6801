/// The largest slot number, which is none.
let none = UInt32.max

/// One timer: what is read when it is due.
///
/// The owner is held neither strongly, which would keep a session alive through its own timers, nor
/// counted: an owner ends its timers before it goes (`TimerOwner`), and counting it costs a fifth of
/// the time it takes to set a timer.
struct TimerEntry {
    unowned(unsafe) var owner: TimerOwner?
    /// While paused, this much (in nanoseconds) was left instead.
    var deadline: Int64 = 0
    var sequence: UInt64 = 0
    var total: Int64 = 0
    /// The next timer of the same group; of a free slot, the next free one.
    var sibling = none
}

/// What is touched when a timer is set or ended; kept apart from `TimerEntry`, so that walking a lane with
/// a million timers in it touches sixteen bytes of each.
struct TimerNode {
    /// Neighbours in a lane. Of a stray, `before` is its place in the heap.
    var before = none
    var after = none
    /// Counted up when the slot is freed, which makes older names of it void.
    var generation: UInt32 = 0
    var tag: UInt8 = 0
    var place = Membership.nowhere
    var isPendulum = false
    var lane: UInt8 = 0

    enum Membership: UInt8 { case nowhere, lane, heap, paused }
}

/// The order of all timers: deadline, then the order in which they were set.
struct HeapKey {
    var deadline: Int64
    var sequence: UInt64
    var slot: UInt32

    static let never = HeapKey(deadline: .max, sequence: .max, slot: none)

    @inline(__always) func precedes(_ other: HeapKey) -> Bool {
        deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
    }
}
