internal import Support

/// The states of a machine: the present state first, then each following state. It ends with the machine, or when
/// the reading task is cancelled.
///
/// Each state waits until it is read. If more than `StateSequence.limit` states wait, the oldest is skipped. States are not
/// `Sendable`: read them on the machine's isolation. Only one task can read a sequence.
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

        public mutating func next() async -> State? { await next(isolation: nil) }

        public mutating func next(isolation: isolated (any Actor)?) async -> State? {
            // A constant of its own, because the buffer itself must not be used on the thread that cancels the task.
            let waiter = buffer.waiter
            while true {
                if let state = buffer.take() { return state }
                if buffer.isFinished || Task.isCancelled { return nil }
                await withTaskCancellationHandler {
                    await withCheckedContinuation(isolation: isolation) { waiter.wait($0) }
                } onCancel: {
                    waiter.wake()
                }
            }
        }
    }
}

extension StateMachine {
    /// The machine's states as a sequence. The present state is the first element.
    public var states: StateSequence<State> { StateSequence(publisher) }
}

/// Holds the states that wait to be read. It is used only on the machine's isolation, except for `waiter`: a cancelled task can
/// use `waiter` from any thread.
private final class StateBuffer<State> {
    private var states: [State] = []
    /// The number of states at the beginning of `states` that were read or skipped. A removal moves all other states. So the
    /// states that were read or skipped are removed together, when they are more than `limit`.
    private var readCount = 0
    /// Whether the machine was released, so that no state follows.
    private(set) var isFinished = false
    /// Wakes the reading task.
    let waiter = Waiter()
    private var token: ObservationToken?

    init(_ publisher: StatePublisher<State>) {
        states = [publisher.current]
        isFinished = publisher.isFinished
        token = publisher.observe { [weak self] _, new in self?.add(new) }
        publisher.onEnd { [weak self] in
            self?.isFinished = true
            self?.waiter.wake()
        }
    }

    /// Adds a state. If too many states wait, the oldest is skipped.
    private func add(_ state: State) {
        states.append(state)
        if states.count - readCount > StateSequence<State>.limit { readCount += 1 }
        if readCount > StateSequence<State>.limit {
            states.removeFirst(readCount)
            readCount = 0
        }
        waiter.wake()
    }

    /// Returns the oldest state that was not read or skipped; nil if no state waits.
    func take() -> State? {
        guard readCount < states.count else { return nil }
        defer { readCount += 1 }
        return states[readCount]
    }
}

/// The continuation of a task that waits. If a wake-up comes earlier than the wait, the wait ends at once.
private final class Waiter: Sendable {
    private enum Phase {
        /// No task waits.
        case idle
        /// No task waits, and the next wait ends at once.
        case woken
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let phase = Guarded(Phase.idle)

    /// Resumes `continuation` at the next `wake`, or at once after a wake-up that no wait has used.
    func wait(_ continuation: CheckedContinuation<Void, Never>) {
        let isWoken = phase.withLock { phase in
            if case .woken = phase {
                phase = .idle
                return true
            }
            phase = .waiting(continuation)
            return false
        }
        if isWoken { continuation.resume() }
    }

    func wake() {
        let continuation: CheckedContinuation<Void, Never>? = phase.withLock { phase in
            guard case .waiting(let continuation) = phase else {
                phase = .woken
                return nil
            }
            phase = .idle
            return continuation
        }
        continuation?.resume()
    }
}
