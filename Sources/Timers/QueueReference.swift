internal import Synchronization

/// A timer handle's reference to its queue: a trivial value that neither retains the queue nor counts
/// references.
///
/// The reference points to a cell of 16 bytes. When the queue is released, it clears the cell, but the cell is not freed. So a
/// handle that outlives its queue reads an empty cell, and does not read freed memory. Each queue that ever set a timer costs
/// 16 bytes until the process ends. A program makes a few queues, and the tests make some thousands.
@safe struct QueueReference: BitwiseCopyable {
    private let cell: UnsafeMutablePointer<Cell>

    @unsafe private struct Cell {
        var queue: Unmanaged<TimerQueue>?
        /// The address of the previously allocated cell; see `newest`.
        var previous: UInt = 0
    }

    /// The address of the newest cell. A leak checker finds all cells from here, and does not report them; the program itself
    /// never follows these addresses.
    private static let newest = Atomic<UInt>(0)

    /// Creates a reference to a queue. The queue must call `clear` before it is released.
    init(to queue: TimerQueue) {
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: Cell(queue: .passUnretained(queue)))
        unsafe cell.pointee.previous = Self.newest.exchange(
            UInt(bitPattern: cell), ordering: .acquiringAndReleasing)
    }

    /// The queue; nil after it was released.
    var queue: TimerQueue? { unsafe cell.pointee.queue?.takeUnretainedValue() }

    /// The queue, for a handle that reads or operates its timer. If the queue was released, this is a new queue without timers.
    /// Counts each use in `TimerQueue.handleUses`: analyses of flows thus know whether a selector has read a timer.
    var queueForUse: TimerQueue {
        guard let queue else { return TimerQueue() }
        queue.handleUses &+= 1
        return queue
    }

    /// Clears the reference because the queue is being released.
    func clear() { unsafe cell.pointee.queue = nil }
}
