internal import Support
internal import Timers

/// Calls that together may take longer than a turn of the loop may. Each turn makes those for which `slice` is enough, in the order in
/// which they were added; the others follow in later turns, and the loop serves others meanwhile.
@safe public final class SlicedCalls {
    private let loop: LibeventLoop
    private let slice: Duration
    /// The calls that wait for a later turn.
    private var waiting = Deque<() -> Void>()
    /// What the calls of this turn have taken.
    private var spent = Duration.zero
    /// Whether a call is being made; a call that it adds waits.
    private var isMaking = false
    private var task: DeferredTask?

    /// `slice` is the time that the calls of a turn may take; the last of them may exceed it, and one is made in any case. Releasing
    /// the object cancels the calls that wait.
    public init(_ slice: Duration, on loop: LibeventLoop) {
        (self.slice, self.loop) = (slice, loop)
        task = DeferredTask(on: loop) { [weak self] in
            self?.spent = .zero
            // A call may release the object.
            while let self, makeNext() {}
        }
    }

    /// Makes the call now, or in a later turn if the slice of this turn is over or other calls wait.
    public func add(_ call: @escaping () -> Void) {
        task?.call()
        if !isMaking, waiting.isEmpty, spent < slice { make(call) } else { waiting.append(call) }
    }

    /// Makes the first call that waits. Returns whether the next one may follow in this turn.
    private func makeNext() -> Bool {
        guard let call = waiting.removeFirst() else { return false }
        make(call)
        guard spent < slice else {
            if !waiting.isEmpty { task?.call() }
            return false
        }
        return true
    }

    private func make(_ call: () -> Void) {
        let begin = loop.clockNow
        isMaking = true
        call()
        isMaking = false
        spent = spent + (loop.clockNow - begin)
    }
}
