internal import Support

/// A timer handle's reference to its queue: a trivial value that neither retains the queue nor counts references.
///
/// The reference is `Sendable`, and its queue is not. The queue is used only in the context, an actor, a task or a thread, in which
/// its owners use it (`TimerQueue.adoptContext`); in every other context, the reference behaves as if the queue had been released.
///
/// The reference points to a cell, which is never freed. So a handle that outlives its queue reads an empty cell, and does not read
/// freed memory. Each queue that ever set a timer costs a cell of about 130 bytes until the process ends. A program makes a few
/// queues, and the tests make some thousands.
public struct QueueReference: Sendable, BitwiseCopyable {
    private unowned(unsafe) let cell: QueueCell

    /// Creates a reference to a queue. The queue must call `clear` before it is released.
    init(to queue: TimerQueue, in context: ExecutionContext) {
        unsafe cell = QueueCell.make(queue, context)
    }

    /// Calls `work` with the queue, and returns its result; `other` if the queue was released, or belongs to another context than
    /// the caller's.
    func use<Result>(otherwise other: Result, _ work: (TimerQueue) -> Result) -> Result {
        let context = ExecutionContext.current
        guard let queue = unsafe cell.begin(in: context) else { return other }
        defer { unsafe cell.end() }
        queue.handleUses &+= 1
        return work(queue)
    }

    /// Makes `context` the context of the queue. Waits until a use of the queue in its former context has ended.
    func move(to context: ExecutionContext) { unsafe cell.move(to: context) }

    /// Clears the reference because the queue is being released. Waits as `move` does.
    func clear(in context: ExecutionContext) { unsafe cell.clear(in: context) }
}

/// Which queue the handles of a queue refer to, and in which context they may use it.
///
/// A handle uses the queue in two steps under the lock, `begin` and `end`, and not under the lock itself, because the queue calls
/// its clock. Another context cannot take the queue over in between.
private final class QueueCell: Sendable {
    private struct State {
        /// The address of the queue; 0 after its release.
        var queue: UInt
        var context: ExecutionContext
        /// The number of uses that have begun and not ended, all in `context`.
        var uses = 0
    }

    private let state: Guarded<State>
    private let previous: QueueCell?

    /// The newest cell. All cells are retained from here, so that none is ever freed.
    private static let newest = Guarded<QueueCell?>(nil)

    private init(_ state: State, after previous: QueueCell?) {
        self.state = Guarded(state)
        self.previous = previous
    }

    static func make(_ queue: TimerQueue, _ context: ExecutionContext) -> QueueCell {
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque())
        let state = State(queue: address, context: context)
        return newest.withLock { newest in
            let cell = QueueCell(state, after: newest)
            newest = cell
            return cell
        }
    }

    /// Begins a use of the queue, which `end` ends; nil if `context` is not the queue's.
    func begin(in context: ExecutionContext) -> TimerQueue? {
        let address = state.withLock { state in
            guard state.context == context, state.queue != 0 else { return 0 as UInt }
            state.uses += 1
            return state.queue
        }
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        return unsafe Unmanaged<TimerQueue>.fromOpaque(pointer).takeUnretainedValue()
    }

    func end() { state.withLock { $0.uses -= 1 } }

    func move(to context: ExecutionContext) { change(in: context) { $0.context = context } }

    func clear(in context: ExecutionContext) { change(in: context) { $0.queue = 0 } }

    /// Changes the state when no other context uses the queue. Such a use takes less than a microsecond, and hardly ever coincides:
    /// the queue was given away while its former owner still used a handle. So this does not sleep.
    private func change(in context: ExecutionContext, _ work: @Sendable (inout State) -> Void) {
        while true {
            let isDone = state.withLock { state in
                guard state.uses == 0 || state.context == context else { return false }
                work(&state)
                return true
            }
            if isDone { return }
        }
    }
}
