public import Support
public import Timers

/// Decides when each output is sent. A `DeliveryMachine` is deterministic, has no clock, and does not know the kinds of
/// targets. `due` returns the outputs to send now. The caller, an `OutputQueue`, reports the result of each attempt with
/// `attemptEnded`.
///
/// Outputs of one target are sent in the order in which they were added, one at a time. Targets do not wait for each
/// other. All calls are on one thread, with instants that do not go back.
public struct DeliveryMachine<Content> {
    /// The outputs of one target.
    private struct Target {
        let name: String
        /// The oldest output, which is tried until it is delivered or given up.
        var head: Output<Content>?
        /// The outputs after the head, in order.
        var queue = Deque<Output<Content>>()
        /// The number of minor outputs, including the head.
        var minorCount = 0
        /// The instant at which the running attempt for the head times out; nil if no attempt runs.
        var deadline: Instant?
        /// The instant at which the head may be tried next.
        var nextAttempt = Instant.zero
        /// The time from the commit to the present attempt for the head, without the spread.
        var attemptTime = Duration.zero
        /// Why the last attempt for the head has failed; empty before the first failure.
        var lastError = ""

        var count: Int { queue.count + (head == nil ? 0 : 1) }
    }

    /// The targets for which outputs wait, and idle ones: at most as many as `idleLimit`, or as the others.
    private var targets: [Target] = []
    /// The index in `targets` of each target, by name.
    private var indices: [String: Int] = [:]
    /// The outputs that were given up and that `takeGivenUp` has not returned yet.
    private var givenUp: [GivenUpOutput<Content>] = []
    /// Makes the pauses between the attempts shorter.
    private let spread: RetrySpread

    public init(spread: RetrySpread = .none) { self.spread = spread }

    /// The number of outputs that wait for a target, including one that is being sent.
    public func waiting(for target: String) -> Int {
        indices[target].map { targets[$0].count } ?? 0
    }

    /// The number of all outputs that wait.
    public var waiting: Int { targets.reduce(0) { $0 + $1.count } }

    /// Whether no output waits. Cheap for a machine that was never used.
    public var isIdle: Bool { targets.isEmpty || waiting == 0 }

    /// The outputs that wait, by target.
    public var outputs: [Output<Content>] {
        targets.flatMap { target in
            var (all, queue) = (target.head.map { [$0] } ?? [], target.queue)
            while let next = queue.removeFirst() { all.append(next) }
            return all
        }
    }

    /// Adds an output after the other outputs of its target. If too many outputs wait, one output is given up: the added output
    /// if it is minor, otherwise the oldest output that is not being sent. An output without `committedAt` counts as committed
    /// at `now`.
    public mutating func add(_ output: Output<Content>, at now: Instant) {
        var output = output
        output.committedAt = output.committedAt ?? now
        let index = index(of: output.target)
        if output.isMinor {
            guard
                targets[index].minorCount < DeliveryLimit.maxMinorWaiting,
                targets[index].count < DeliveryLimit.maxWaiting
            else {
                let why = "too many outputs wait for \(output.target)"
                return givenUp.append(GivenUpOutput(output: output, why: why))
            }
            targets[index].minorCount += 1
        }
        guard targets[index].head != nil else {
            targets[index].head = output
            targets[index].nextAttempt = output.committedAt ?? now
            return
        }
        targets[index].queue.append(output)
        if targets[index].count > DeliveryLimit.maxWaiting { removeOldest(of: index) }
    }

    /// The index of a target, which is added if it is new.
    private mutating func index(of target: String) -> Int {
        if let known = indices[target] { return known }
        targets.append(Target(name: target))
        indices[target] = targets.count - 1
        return targets.count - 1
    }

    /// Gives up one output of the target: the oldest output, or the second oldest while the oldest is being sent.
    private mutating func removeOldest(of index: Int) {
        let why = "more than \(DeliveryLimit.maxWaiting) outputs wait for \(targets[index].name)"
        guard targets[index].deadline != nil else { return giveUp(index, why) }
        guard let second = targets[index].queue.removeFirst() else { return }
        if second.isMinor { targets[index].minorCount -= 1 }
        givenUp.append(GivenUpOutput(output: second, why: why))
    }

    /// Starts the attempts that are due, and returns their outputs. The order is the order in which the targets were first
    /// named. A target waits as long as `maySend` is false for its oldest output.
    public mutating func due(
        at now: Instant, where maySend: (Output<Content>) -> Bool = { _ in true }
    ) -> [Output<Content>] {
        forgetIdleTargets()
        var due: [Output<Content>] = []
        for index in targets.indices {
            if let head = targets[index].head, !maySend(head) { continue }
            expire(index, at: now)
            guard targets[index].deadline == nil, let head = targets[index].head,
                targets[index].nextAttempt <= now
            else { continue }
            targets[index].deadline = now + head.timeout
            due.append(head)
        }
        return due
    }

    /// Forgets the idle targets if there are many: each session can have a target of its own.
    private mutating func forgetIdleTargets() {
        guard targets.count > Self.idleLimit,
            targets.count(where: { $0.head == nil }) * 2 > targets.count
        else { return }
        targets.removeAll { $0.head == nil }
        indices = [:]
        for (index, target) in targets.enumerated() { indices[target.name] = index }
    }

    /// The number of targets up to which idle ones are kept.
    package static var idleLimit: Int { 64 }
    /// The number of targets that are known, for tests.
    package var targetCount: Int { targets.count }

    /// Ends the target's attempt if it takes too long, and gives up the target's outputs that are too old.
    private mutating func expire(_ index: Int, at now: Instant) {
        if let deadline = targets[index].deadline {
            guard deadline <= now else { return }
            fail(index, "no answer in time", at: now)
        }
        while targets[index].deadline == nil, let head = targets[index].head,
            head.age(at: now) > head.maxAge
        { giveUp(index, "too old") }
    }

    /// Whether an attempt runs for an output for which the condition is true.
    public func isSending(where condition: (Output<Content>) -> Bool) -> Bool {
        targets.contains { $0.deadline != nil && $0.head.map(condition) == true }
    }

    /// Reports the result of the attempt for the output with this id. A result that comes after the attempt has timed out is
    /// ignored. Returns the output if it is delivered.
    @discardableResult public mutating func attemptEnded(
        _ id: String, of target: String, _ result: DeliveryResult, at now: Instant
    ) -> Output<Content>? {
        guard let index = indices[target], targets[index].deadline != nil,
            let head = targets[index].head, head.id == id
        else { return nil }
        switch result {
        case .delivered:
            advance(index)
            return head
        case .failed(let why): fail(index, why, at: now)
        case .rejected(let why), .impossible(let why): giveUp(index, why)
        }
        return nil
    }

    /// Records that the attempt for the head has failed, and decides whether and when there is another attempt.
    private mutating func fail(_ index: Int, _ why: String, at now: Instant) {
        targets[index].deadline = nil
        targets[index].lastError = why
        guard let head = targets[index].head, let committed = head.committedAt else { return }
        guard !head.isOnce else { return giveUp(index, "tried once") }
        // An attempt that was made earlier because of the spread is not made again at its own time.
        let time = Self.ageOfNextAttempt(after: max(now - committed, targets[index].attemptTime))
        // The age counts from the change, which is always a little older than the commit. So an attempt at the maximal age would
        // never be made: it comes earlier, by a part that the spread could have taken.
        let expiry = (head.madeAt ?? committed) + head.maxAge
        guard time <= head.maxAge, expiry > now,
            expiry >= committed + time * (1 - RetrySpread.largest)
        else { return giveUp(index, "too old") }
        targets[index].attemptTime = time
        targets[index].nextAttempt = min(
            now + spread.shorten(committed + time - now),
            max(now, expiry + .nanoseconds(-Self.lateness.nanoseconds)))
    }

    /// The time by which the caller may call `due` late without a loss of the last attempt: no timer is exact.
    private static var lateness: Duration { .milliseconds(100) }

    /// The time from the commit to the next attempt, for an output that was committed `age` ago.
    private static func ageOfNextAttempt(after age: Duration) -> Duration {
        if let next = DeliveryLimit.attemptTimes.first(where: { $0 > age }) { return next }
        let period = DeliveryLimit.laterAttemptPeriod.nanoseconds
        return .nanoseconds((age.nanoseconds / period + 1) * period)
    }

    /// Gives up the head of a target.
    private mutating func giveUp(_ index: Int, _ why: String) {
        guard let head = targets[index].head else { return }
        let error = targets[index].lastError
        givenUp.append(GivenUpOutput(output: head, why: error.isEmpty ? why : "\(why): \(error)"))
        advance(index)
    }

    /// Makes the next output of a target its head.
    private mutating func advance(_ index: Int) {
        targets[index].deadline = nil
        (targets[index].attemptTime, targets[index].lastError) = (.zero, "")
        if targets[index].head?.isMinor == true { targets[index].minorCount -= 1 }
        targets[index].head = targets[index].queue.removeFirst()
        if let committed = targets[index].head?.committedAt {
            targets[index].nextAttempt = committed
        }
    }

    /// Gives up all waiting outputs for which the condition is true. An output that is being sent may still arrive.
    public mutating func giveUp(_ why: String, where condition: (Output<Content>) -> Bool) {
        let removed = remove(where: condition)
        givenUp += removed.map { GivenUpOutput(output: $0, why: why) }
    }

    /// Removes and returns all waiting outputs for which the condition is true. An output that is being sent may still arrive.
    @discardableResult public mutating func remove(where condition: (Output<Content>) -> Bool)
        -> [Output<Content>]
    {
        var removed: [Output<Content>] = []
        for index in targets.indices {
            var oldQueue = exchange(&targets[index].queue, with: Deque())
            var remaining = Deque<Output<Content>>()
            if let head = targets[index].head, condition(head) {
                removed.append(head)
                if head.isMinor { targets[index].minorCount -= 1 }
                targets[index].head = nil
                (targets[index].deadline, targets[index].lastError) = (nil, "")
                targets[index].attemptTime = .zero
            }
            while let output = oldQueue.removeFirst() {
                guard condition(output) else {
                    remaining.append(output)
                    continue
                }
                if output.isMinor { targets[index].minorCount -= 1 }
                removed.append(output)
            }
            targets[index].queue = remaining
            if targets[index].head == nil { advance(index) }
        }
        return removed
    }

    /// Removes and returns the outputs that were given up since the last call, in order.
    public mutating func takeGivenUp() -> [GivenUpOutput<Content>] {
        exchange(&givenUp, with: [])
    }

    /// The instant at which `due` is to be called next; nil if no output waits.
    public var nextWake: Instant? {
        var next: Instant?
        for target in targets {
            guard let head = target.head, let madeAt = head.madeAt ?? head.committedAt else {
                continue
            }
            // An output that is not being sent is given up as soon as it is older than `maxAge`.
            let expiry = madeAt + head.maxAge + .nanoseconds(1)
            let wake = target.deadline ?? min(target.nextAttempt, expiry)
            next = min(next ?? wake, wake)
        }
        return next
    }
}

extension Output {
    /// The time since the change was made.
    func age(at now: Instant) -> Duration { now - (madeAt ?? committedAt ?? now) }
}
