/// Stands for no slot, in place of a slot number.
let noSlot = UInt32.max

/// The owner, the times and the order of a timer.
///
/// The reference to the owner is neither strong nor counted. A strong reference would keep a session alive
/// through its own timers. Counting would take a fifth of the time of setting a timer. The queue needs neither,
/// because an owner ends its timers before it is released (`TimerOwner`).
struct TimerEntry {
    unowned(unsafe) var owner: TimerOwner?
    /// The deadline in nanoseconds on the timeline; for a paused timer, the remaining time in nanoseconds.
    var deadline: Int64 = 0
    /// The number in the order of setting.
    var sequence: UInt64 = 0
    /// The full duration in nanoseconds.
    var total: Int64 = 0
    /// The next timer of the same `TimerGroup`, whose timers end together; for a free slot, the next free slot.
    var sibling = noSlot
}

/// The kind of a timer, and its place in the structures of the queue. The fields are separate from `TimerEntry`, so that
/// linking or unlinking a timer usually touches only sixteen bytes of each neighbour.
struct TimerNode {
    /// The neighbours in a `DurationQueue`. For a timer in the heap, `before` is its index in the heap.
    var before = noSlot
    var after = noSlot
    /// Incremented when the slot is freed, so that older `TimerID`s of the slot become invalid.
    var generation: UInt32 = 0
    /// The number by which the timer's owner recognizes it.
    var tag: UInt8 = 0
    var membership = Membership.nowhere
    var isPendulum = false
    /// The index of the `DurationQueue` that contains the timer.
    var queue: UInt8 = 0

    /// The structure that contains the timer; a timer that is `paused` or `nowhere` is in no structure.
    enum Membership: UInt8 { case nowhere, queue, heap, paused }
}

/// The sort key of all timers: the deadline, then the order in which they were set.
struct HeapKey {
    var deadline: Int64
    var sequence: UInt64
    var slot: UInt32

    /// The key that follows all others; it stands for no timer.
    static let never = HeapKey(deadline: .max, sequence: .max, slot: noSlot)

    @inline(__always) func precedes(_ other: HeapKey) -> Bool {
        deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
    }
}
