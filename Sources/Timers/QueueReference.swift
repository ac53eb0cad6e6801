/// How a timer's handle refers to its queue: a trivial value, which keeps nothing alive and counts nothing.
///
/// It points to a cell of 8 bytes, which the queue empties when it goes and which is never freed: a handle that
/// outlives its queue finds an empty cell, never memory that was freed. So each queue that ever set a timer costs
/// 8 bytes for the life of the process; programs make a handful of queues, tests some thousands.
@safe struct QueueReference: BitwiseCopyable {
    private let cell: UnsafeMutablePointer<Unmanaged<TimerQueue>?>

    /// The reference of a queue, which must `clear` it before it goes.
    init(to queue: TimerQueue) {
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: .passUnretained(queue))
    }

    /// The queue; nil once it has gone.
    var queue: TimerQueue? { unsafe cell.pointee?.takeUnretainedValue() }

    /// The queue is going.
    func clear() { unsafe cell.pointee = nil }
}
