public import Timers

/// Runs one event at a time for all machines that share the queue. An event that is sent during a step is run
/// after that step and after the deferred events that the step made acceptable.
public final class EventQueue {
    /// Whether a step is running.
    @exclusivity(unchecked) @usableFromInline var isBusy = false
    /// The posted work, in order; most of it sends an event.
    @exclusivity(unchecked) @usableFromInline var posted: [() -> Void] = []
    /// The timers of the entry that is being made.
    @exclusivity(unchecked) @usableFromInline var newEntryTimers = TimerGroup()
    /// The number of events that were posted in the present run; see `postLimit`.
    private var postCount = 0
    private let dropsPostedEvents: Bool
    /// Called after a run of posted events that did not begin with an event's step: the events were posted while no step was
    /// running, or by the `work` of `runAsStep`.
    public var didRunPostedEvents: (() -> Void)?

    /// The maximum number of events that are posted in one run: during a step, and during the posted events after it. The
    /// limit stops a flow that sends itself events without end.
    public static let postLimit = 1000

    public init() { dropsPostedEvents = false }

    /// Whether a step is running.
    public var isRunning: Bool { isBusy }

    /// Creates a queue that drops posted events if `dropsPostedEvents` is true, for a dry run of a single step.
    init(dropsPostedEvents: Bool) { self.dropsPostedEvents = dropsPostedEvents }

    /// Runs a step to completion, and then the events that were posted, in order. Must not be called during a
    /// step.
    @inlinable func run(_ step: () throws(Reason) -> Void) throws(Reason) {
        isBusy = true
        do throws(Reason) { try step() } catch {
            finish()
            throw error
        }
        finish()
    }

    /// Runs the posted events, and ends the step.
    @inlinable func finish() {
        if !posted.isEmpty { drain() }
        isBusy = false
    }

    /// Runs `work` after the present step, or immediately if no step is running. Returns false, without running `work`, if
    /// `postLimit` is reached. A queue that drops posted events returns true without running `work`.
    func post(_ work: @escaping () -> Void) -> Bool {
        if dropsPostedEvents { return true }
        guard postCount < Self.postLimit else { return false }
        postCount += 1
        posted.append(work)
        if !isBusy { runAsStep {} }
        return true
    }

    /// Runs `work` immediately, as a step of its own or as part of the present step. Events that `work` sends run after that
    /// step.
    func runAsStep<Result>(_ work: () -> Result) -> Result {
        guard !isBusy else { return work() }
        isBusy = true
        let result = work()
        let hasPosts = !posted.isEmpty
        finish()
        if hasPosts { didRunPostedEvents?() }
        return result
    }

    @usableFromInline func drain() {
        var index = 0
        while index < posted.count {
            posted[index]()
            index += 1
        }
        posted.removeAll()
        postCount = 0
    }
}
