internal import CExecution
internal import Support

/// A timer handle's reference to its queue: a trivial value that neither retains the queue nor counts references.
///
/// The reference is `Sendable`, and its queue is not. The queue is used only in the context, an actor, a task or a thread, in which
/// its owners use it (`TimerQueue.adoptContext`), or anywhere on that thread; in every other context, the reference behaves as if the queue had been released.
///
/// The reference points to a cell, which is never freed. So a handle that outlives its queue does not read freed memory. The cell of
/// a released queue gets a new queue, whose timers have other identifiers than all timers of the earlier queues.
@safe public struct QueueReference: Sendable, BitwiseCopyable {
    private nonisolated(unsafe) let cell: UnsafeMutablePointer<QueueCell>

    /// Creates a reference to a queue without timers. The queue must call `clear` before it is released.
    init(to queue: TimerQueue, in context: ExecutionContext) {
        unsafe cell = FreeCells.take()
        unsafe execution_lock(cell.pointee.lock)
        unsafe cell.pointee.queue = Unmanaged.passUnretained(queue)
        unsafe cell.pointee.context = context
        unsafe execution_unlock(cell.pointee.lock)
    }

    /// The least generation that the queue may give to its timers; see `TimerID`.
    var firstGeneration: UInt32 { unsafe cell.pointee.firstGeneration }

    /// Calls `work` with the queue, and returns its result; `other` if the queue was released, or belongs to another context than
    /// the caller's. Another context that takes the queue over waits meanwhile.
    func use<Result>(otherwise other: Result, _ work: (TimerQueue) -> Result) -> Result {
        // In a context of this thread, the queue may have been used last by an event (`adoptThread`).
        let context = ExecutionContext.current
        return use(where: { $0 == context || $0.isThisThread }, otherwise: other, work)
    }

    /// As above, if `isOwn` returns true for the context to which the queue belongs.
    @inline(__always) fileprivate func use<Result>(
        where isOwn: (ExecutionContext) -> Bool, otherwise other: Result,
        _ work: (TimerQueue) -> Result
    ) -> Result {
        unsafe execution_lock(cell.pointee.lock)
        defer { unsafe execution_unlock(cell.pointee.lock) }
        guard let queue = unsafe cell.pointee.queue, isOwn(unsafe cell.pointee.context) else {
            return other
        }
        // `work` calls the clock, which may release the queue. The queue may also be in its `deinit`, which then waits for the lock:
        // so the count of its references is as before when the lock is released.
        _ = unsafe queue.retain()
        let result = unsafe queue._withUnsafeGuaranteedRef { queue in
            queue.handleUses &+= 1
            return work(queue)
        }
        unsafe queue.release()
        return result
    }

    /// Makes `context` the context of the queue. Waits until a use of the queue in its former context has ended.
    func move(to context: ExecutionContext) {
        unsafe execution_lock(cell.pointee.lock)
        unsafe cell.pointee.context = context
        unsafe execution_unlock(cell.pointee.lock)
    }

    /// Clears the reference because the queue is being released. Waits as `move` does. The timers of the next queue have generations
    /// from `generation` on; nil if none are left.
    func clear(nextGeneration generation: UInt32?) {
        unsafe execution_lock(cell.pointee.lock)
        unsafe cell.pointee.queue = nil
        unsafe execution_unlock(cell.pointee.lock)
        guard let generation else { return }
        unsafe cell.pointee.firstGeneration = generation
        unsafe FreeCells.give(cell)
    }
}

/// A queue, and the context in which it was used at some moment.
struct QueuePlace: Sendable {
    let reference: QueueReference
    let context: ExecutionContext

    /// Calls `work` if the queue is still used in the context, in which the caller runs. Another context that takes the queue over
    /// waits meanwhile.
    func use(_ work: () -> Void) {
        reference.use(where: { $0 == context }, otherwise: (), { _ in work() })
    }
}

/// The queue that the handles of a queue refer to, and the context in which they may use it.
@unsafe private struct QueueCell {
    /// Guards `queue` and `context`. Recursive: what a use of the queue calls may use a handle, too.
    let lock: UnsafeMutablePointer<ExecutionLock>
    /// Nil after the release of the queue.
    var queue: Unmanaged<TimerQueue>?
    var context = ExecutionContext.none
    /// Written only while no queue has the cell.
    var firstGeneration: UInt32 = 0
    /// The next free cell; only of a free cell.
    var nextFree: UnsafeMutablePointer<QueueCell>?
}

/// The cells that no queue has, as a list.
private enum FreeCells {
    /// The address of the first cell; 0 if the list is empty.
    private static let first = Guarded<UInt>(0)

    /// Removes a cell from the list; makes one if the list is empty.
    static func take() -> UnsafeMutablePointer<QueueCell> {
        let address = first.withLock { first in
            let address = first
            if let cell = unsafe UnsafeMutablePointer<QueueCell>(bitPattern: first) {
                first = unsafe UInt(bitPattern: cell.pointee.nextFree)
            }
            return address
        }
        return unsafe UnsafeMutablePointer<QueueCell>(bitPattern: address) ?? makeCell()
    }

    static func give(_ cell: UnsafeMutablePointer<QueueCell>) {
        let address = UInt(bitPattern: cell)
        first.withLock { first in
            let cell = unsafe UnsafeMutablePointer<QueueCell>(bitPattern: address)
            unsafe cell?.pointee.nextFree = unsafe UnsafeMutablePointer(bitPattern: first)
            first = address
        }
    }

    private static func makeCell() -> UnsafeMutablePointer<QueueCell> {
        let lock = UnsafeMutablePointer<ExecutionLock>.allocate(capacity: 1)
        unsafe lock.initialize(to: ExecutionLock())
        unsafe execution_lock_init(lock)
        let cell = UnsafeMutablePointer<QueueCell>.allocate(capacity: 1)
        unsafe cell.initialize(to: QueueCell(lock: lock))
        return unsafe cell
    }
}
