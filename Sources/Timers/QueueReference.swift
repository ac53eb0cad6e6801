internal import Synchronization

/// How a timer's handle refers to its queue: a trivial value, which keeps nothing alive and counts nothing.
///
/// It points to a cell of 16 bytes, which the queue empties when it goes and which is never freed: a handle that
/// outlives its queue finds an empty cell, never memory that was freed. So each queue that ever set a timer costs
/// 16 bytes for the life of the process; programs make a handful of queues, tests some thousands.
@safe struct QueueReference: BitwiseCopyable {
    private let cell: UnsafeMutablePointer<Cell>

    @unsafe private struct Cell {
        var queue: Unmanaged<TimerQueue>?
        /// The address of the cell that was made before; see `newest`.
        var previous: UInt = 0
    }

    /// The address of the newest cell. Nobody reads it: from here a leak checker finds them all.
    private static let newest = Atomic<UInt>(0)

    /// The reference of a queue, which must `clear` it before it goes.
    init(to queue: TimerQueue) {
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: Cell(queue: .passUnretained(queue)))
        unsafe cell.pointee.previous = Self.newest.exchange(
            UInt(bitPattern: cell), ordering: .acquiringAndReleasing)
    }

    /// The queue; nil once it has gone.
    var queue: TimerQueue? { unsafe cell.pointee.queue?.takeUnretainedValue() }

    /// The queue is going.
    func clear() { unsafe cell.pointee.queue = nil }
}
