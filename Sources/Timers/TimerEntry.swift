/// Stands for no slot. A slot is the index at which a `TimerStorage` keeps the fields of a timer.
let noSlot = UInt32.max

/// The owner, the times and the order of a timer.
///
/// The reference to the owner is neither strong nor counted. A strong reference would keep a session alive
/// through its own timers. Counting would take a fifth of the time of setting a timer. The queue needs neither,
/// because an owner ends its timers before it is released (`TimerOwner`).
struct TimerEntry {
    unowned(unsafe) var owner: TimerOwner?
    /// The deadline in nanoseconds on the timeline; for a paused timer, the remaining time in nanoseconds. For a silent timer,
    /// the instant at which nothing was left.
    var deadline: Int64 = 0
    /// The number in the order in which timers were set; `TimerInfo.order` is the public name.
    var sequence: UInt64 = 0
    /// The full duration in nanoseconds.
    var total: Int64 = 0
    /// The next timer of the same `TimerGroup`, whose timers end together; for a free slot, the next free slot.
    var sibling = noSlot
}

/// The kind of a timer, and its place in the structures of the queue. The fields are separate from `TimerEntry`, so that
/// linking or unlinking a timer usually touches only sixteen bytes of each neighbour.
struct TimerNode {
    /// The slots of the neighbours in a `DurationQueue`. For a timer in the heap, `previous` contains `heapIndex` instead.
    var previous = noSlot
    var next = noSlot
    /// Incremented when the slot is freed, so that older `TimerID`s of the slot become invalid.
    var generation: UInt32 = 0
    /// The number by which the timer's owner recognizes it.
    var tag: UInt8 = 0
    var membership = Membership.unplaced
    var traits: TimerTraits = []

    /// The timer's index in the heap, if the timer is in the heap. It shares its memory with `previous`.
    var heapIndex: UInt32 {
        @inline(__always) get { previous }
        @inline(__always) set { previous = newValue }
    }

    var isPendulum: Bool { traits.contains(.pendulum) }

    /// The structure that contains the timer. A paused timer is in no structure. A `silent` one runs and will not fire, and is in
    /// no structure either. An `unplaced` one has fired for the last time, was ended, or is being moved.
    ///
    /// The number of the `DurationQueue` that contains a timer is in the same byte, so that a node has sixteen bytes.
    struct Membership: Equatable {
        private let code: UInt8

        static let (unplaced, heap) = (Membership(code: 255), Membership(code: 254))
        static let (paused, silent) = (Membership(code: 253), Membership(code: 252))

        /// In the duration queue with an index, which is less than `DurationQueue.limit`.
        static func queue(_ index: Int) -> Membership {
            Membership(code: UInt8(truncatingIfNeeded: index))
        }

        /// The index of the duration queue that contains the timer; nil if none does.
        var queue: Int? { code < DurationQueue.limit ? Int(code) : nil }

        private init(code: UInt8) { self.code = code }
    }
}

/// The sort key of all timers: the deadline, then the order in which they were set.
struct HeapKey {
    var deadline: Int64
    var sequence: UInt64
    var slot: UInt32

    /// A key that follows the keys of all timers. It stands for no timer.
    static let never = HeapKey(deadline: .max, sequence: .max, slot: noSlot)

    /// Whether the timer of this key fires before the timer of the other key.
    @inline(__always) func precedes(_ other: HeapKey) -> Bool {
        deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
    }
}
