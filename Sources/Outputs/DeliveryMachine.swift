internal import Support
public import Timers

/// Decides which output is sent when. It is deterministic, has no clock, and knows nothing of the kinds of targets: the
/// caller makes the attempts that `due` returns, and reports how they ended.
///
/// Outputs of one target are sent in the order in which they were added, one at a time. Targets do not wait for each
/// other. All calls are on one thread, with instants that do not go back.
public struct DeliveryMachine<Content> {
    private struct Target {
        let name: String
        var waiting = Deque<Output<Content>>()
        /// Whether an attempt for the first output runs, and when it ends at the latest.
        var deadline: Instant?
        /// When the first output may be tried next.
        var nextAttempt: Instant
        var lastError = ""
    }

    private var targets: [Target] = []
    private var indices: [String: Int] = [:]
    private var givenUp: [GivenUpOutput<Content>] = []

    public init() {}

    /// The number of outputs that wait for a target, including one that is being sent.
    public func waiting(for target: String) -> Int {
        indices[target].map { targets[$0].waiting.count } ?? 0
    }

    /// The number of all outputs that wait.
    public var waiting: Int { targets.reduce(0) { $0 + $1.waiting.count } }

    /// Adds an output behind the others of its target. If too many wait, the oldest that is not being sent is given up.
    public mutating func add(_ output: Output<Content>) {
        let index = index(of: output)
        if targets[index].waiting.isEmpty { targets[index].nextAttempt = output.committed }
        targets[index].waiting.append(output)
        guard targets[index].waiting.count > DeliveryLimit.waiting else { return }
        removeOldest(of: index)
    }

    private mutating func index(of output: Output<Content>) -> Int {
        if let known = indices[output.target] { return known }
        targets.append(Target(name: output.target, nextAttempt: output.committed))
        indices[output.target] = targets.count - 1
        return targets.count - 1
    }

    private mutating func removeOldest(of index: Int) {
        let why = "more than \(DeliveryLimit.waiting) outputs wait for \(targets[index].name)"
        let isSending = targets[index].deadline != nil
        guard let first = targets[index].waiting.removeFirst() else { return }
        guard isSending else {
            givenUp.append(GivenUpOutput(output: first, why: why))
            return advance(index)
        }
        // The first one is on its way; the next one is given up.
        guard let second = targets[index].waiting.removeFirst() else { return }
        givenUp.append(GivenUpOutput(output: second, why: why))
        var rest = exchange(&targets[index].waiting, with: Deque())
        targets[index].waiting.append(first)
        while let next = rest.removeFirst() { targets[index].waiting.append(next) }
    }

    /// The attempts that start now, in the order in which the targets were first named.
    public mutating func due(at now: Instant) -> [Output<Content>] {
        var due: [Output<Content>] = []
        for index in targets.indices {
            expire(index, at: now)
            guard targets[index].deadline == nil, let first = targets[index].waiting.first,
                targets[index].nextAttempt <= now
            else { continue }
            targets[index].deadline = now + first.timeout
            due.append(first)
        }
        return due
    }

    /// Ends an attempt that takes too long, and gives up outputs that are too old.
    private mutating func expire(_ index: Int, at now: Instant) {
        if let deadline = targets[index].deadline {
            guard deadline <= now else { return }
            fail(index, "no answer in time", at: now)
        }
        while targets[index].deadline == nil, let first = targets[index].waiting.first,
            now - first.committed > first.maxAge
        { giveUp(index, "too old") }
    }

    /// Reports how the attempt for the output with this id ended. The end of an attempt that is over is ignored.
    public mutating func ended(
        _ id: String, of target: String, _ result: DeliveryResult, at now: Instant
    ) {
        guard let index = indices[target], targets[index].deadline != nil,
            targets[index].waiting.first?.id == id
        else { return }
        switch result {
        case .delivered:
            _ = targets[index].waiting.removeFirst()
            advance(index)
        case .failed(let why): fail(index, why, at: now)
        }
    }

    private mutating func fail(_ index: Int, _ why: String, at now: Instant) {
        targets[index].deadline = nil
        targets[index].lastError = why
        guard let first = targets[index].waiting.first else { return }
        guard !first.isOnce else { return giveUp(index, "tried once") }
        let next = Self.attempt(after: now - first.committed)
        guard next <= first.maxAge else { return giveUp(index, "too old") }
        targets[index].nextAttempt = first.committed + next
    }

    /// The age at which the next attempt starts.
    private static func attempt(after age: Duration) -> Duration {
        if let next = DeliveryLimit.attempts.first(where: { $0 > age }) { return next }
        let pause = DeliveryLimit.laterAttempts.nanoseconds
        return .nanoseconds((age.nanoseconds / pause + 1) * pause)
    }

    private mutating func giveUp(_ index: Int, _ why: String) {
        guard let first = targets[index].waiting.removeFirst() else { return }
        let error = targets[index].lastError
        givenUp.append(
            GivenUpOutput(output: first, why: error.isEmpty ? why : "\(why): \(error)"))
        advance(index)
    }

    /// The next output of a target becomes the first one.
    private mutating func advance(_ index: Int) {
        targets[index].deadline = nil
        targets[index].lastError = ""
        if let next = targets[index].waiting.first { targets[index].nextAttempt = next.committed }
    }

    /// Gives up all waiting outputs for which the condition is true. One that is being sent may still arrive.
    public mutating func giveUp(_ why: String, where isMeant: (Output<Content>) -> Bool) {
        for index in targets.indices {
            let firstID = targets[index].waiting.first?.id
            var rest = exchange(&targets[index].waiting, with: Deque())
            while let output = rest.removeFirst() {
                if isMeant(output) {
                    givenUp.append(GivenUpOutput(output: output, why: why))
                } else {
                    targets[index].waiting.append(output)
                }
            }
            if targets[index].waiting.first?.id != firstID { advance(index) }
        }
    }

    /// Removes and returns the outputs that were given up since the last call, in order.
    public mutating func takeGivenUp() -> [GivenUpOutput<Content>] {
        exchange(&givenUp, with: [])
    }

    /// When `due` is to be called next; nil if nothing waits.
    public var nextWake: Instant? {
        var next: Instant?
        for target in targets {
            guard let first = target.waiting.first else { continue }
            // A waiting output is given up right after its maximal age.
            let expiry = first.committed + first.maxAge + .nanoseconds(1)
            let wake = target.deadline ?? min(target.nextAttempt, expiry)
            next = min(next ?? wake, wake)
        }
        return next
    }
}
