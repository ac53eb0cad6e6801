internal import Support

/// The states of a machine since the sequence was asked for: the state of then first, then each following state. It ends with the
/// machine, or when the reading task is cancelled.
///
/// Each state waits until it is read. If more than `StateSequence.limit` states wait, the oldest is skipped. Several tasks can read a
/// sequence, and each of them gets all states. States are not `Sendable`: read them on the machine's isolation.
public struct StateSequence<State>: AsyncSequence {
    public typealias Element = State
    public typealias Failure = Never
    private let buffer: StateBuffer<State>

    /// The maximum number of states that wait to be read.
    public static var limit: Int { 1024 }

    init(_ publisher: StatePublisher<State>) { buffer = StateBuffer(publisher) }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: StateBuffer<State>
        /// The number of the next state, counted from the first one of the sequence.
        private var position = 0

        fileprivate init(buffer: StateBuffer<State>) { self.buffer = buffer }

        public mutating func next() async -> State? { await next(isolation: nil) }

        public mutating func next(isolation: isolated (any Actor)?) async -> State? {
            while true {
                if let state = buffer.next(&position) { return state }
                if buffer.isFinished || Task.isCancelled { return nil }
                let waiter = Waiter()
                buffer.waiters.append(waiter)
                await withTaskCancellationHandler {
                    await withCheckedContinuation(isolation: isolation) { waiter.wait($0) }
                } onCancel: {
                    waiter.wake()
                }
                buffer.waiters.removeAll { $0 === waiter }
            }
        }
    }
}

extension StateMachine {
    /// The machine's states as a sequence. The present state is the first element.
    public var states: StateSequence<State> { StateSequence(publisher) }
}

/// Holds the newest states for the readers of a sequence. It is used only on the machine's isolation.
private final class StateBuffer<State> {
    /// At least the newest `limit` states. A removal moves all others, so the older ones are removed together.
    private var states: [State] = []
    /// The number of states that were removed.
    private var removedCount = 0
    /// Whether the machine has ended, so that no state follows.
    private(set) var isFinished = false
    /// The readers that wait for a state.
    var waiters: [Waiter] = []
    private var tokens: [ObservationToken] = []

    init(_ publisher: StatePublisher<State>) {
        states = [publisher.current]
        tokens = [
            publisher.observe { [weak self] _, new in self?.add(new) },
            publisher.onEnd { [weak self] in self?.finish() },
        ]
    }

    private func add(_ state: State) {
        states.append(state)
        if states.count > 2 * StateSequence<State>.limit {
            removedCount += StateSequence<State>.limit
            states.removeFirst(StateSequence<State>.limit)
        }
        wakeReaders()
    }

    private func finish() {
        isFinished = true
        wakeReaders()
    }

    private func wakeReaders() {
        for waiter in waiters { waiter.wake() }
        waiters = []
    }

    /// Returns the state that a reader at `position` reads next, and moves the position behind it; nil if no state waits. If too many
    /// states wait, the oldest are skipped.
    func next(_ position: inout Int) -> State? {
        let count = removedCount + states.count
        guard position < count else { return nil }
        position = max(position, count - StateSequence<State>.limit) + 1
        return states[position - 1 - removedCount]
    }
}

/// The continuation of a task that waits once. If the wake-up comes earlier than the wait, the wait ends at once. A task can be
/// cancelled on any thread.
private final class Waiter: Sendable {
    private enum Phase {
        case idle
        case woken
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let phase = Guarded(Phase.idle)

    /// Resumes `continuation` at the `wake`, or at once if that was before.
    func wait(_ continuation: CheckedContinuation<Void, Never>) {
        let isWoken = phase.withLock { phase in
            if case .woken = phase { return true }
            phase = .waiting(continuation)
            return false
        }
        if isWoken { continuation.resume() }
    }

    func wake() {
        let continuation: CheckedContinuation<Void, Never>? = phase.withLock { phase in
            defer { phase = .woken }
            guard case .waiting(let continuation) = phase else { return nil }
            return continuation
        }
        continuation?.resume()
    }
}
