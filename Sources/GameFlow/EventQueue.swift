public import Timers

/// Runs one event at a time for all machines that share the queue. An event that is sent during a step waits. It runs after the
/// step, and after the deferred events that the step made acceptable.
public final class EventQueue {
    /// Whether a step, or a posted event after a step, is running.
    @exclusivity(unchecked) @usableFromInline var isBusy = false
    /// The closures that `post` has added and that have yet to run, in order. Most of them send an event.
    @exclusivity(unchecked) @usableFromInline var postedWork: [() -> Void] = []
    /// Whether timers of the machine wait for the end of the running step, and whether such timers fire now.
    private var (firesAfterStep, isFiringAfterStep) = (false, false)
    /// Whether the closure runs that makes a state, and may set its timers.
    @exclusivity(unchecked) @usableFromInline var isMakingEntry = false
    /// The timers of the entry that is being made.
    @exclusivity(unchecked) @usableFromInline var newEntryTimers = TimerGroup()
    /// The clock of the one machine that uses this queue, if the machine retains it; nil if the clock's owner does.
    @exclusivity(unchecked) var clock: (any TimerClock)?
    /// The number of closures that were posted in the present run.
    private var postCount = 0
    /// The maximum of `postCount`: `postLimit`, or less while steps are made that follow from an earlier run.
    public var postBudget = EventQueue.postLimit
    /// Whether `post` ignores its closure, as in a dry run of a single step.
    private let dropsPostedEvents: Bool
    /// Called after posted events have run, if the events were posted outside a step or by the `work` of `runAsStep`. Not
    /// called for events that were posted during the step of another event: the caller of that step handles all changes of the
    /// step and of the posted events.
    public var didRunPostedEvents: (() -> Void)?

    /// The maximum number of events that can be posted in one run. A run is a step and the posted events that run after it.
    /// The limit stops a flow that sends itself events without end.
    public static let postLimit = 1000

    public init() { dropsPostedEvents = false }

    /// Whether a step, or a posted event after a step, is running: `isBusy`, for other modules.
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
        if !postedWork.isEmpty { drain() }
        isBusy = false
    }

    /// Runs `work` after the present step, or immediately if no step is running. Returns false, without running `work`, if
    /// `postBudget` is reached. A queue that drops posted events returns true without running `work`.
    func post(_ work: @escaping () -> Void) -> Bool {
        if dropsPostedEvents { return true }
        guard postCount < postBudget else { return false }
        postCount += 1
        postedWork.append(work)
        // An empty step: the posted work runs at its end.
        if !isBusy { runAsStep {} }
        return true
    }

    /// Fires the due timers of the machine's clock after the running step. A queue without a clock leaves them to its user.
    func fireAfterStep() {
        guard !firesAfterStep else { return }
        firesAfterStep = true
        // So that `drain` is called.
        postedWork.append {}
    }

    /// Runs `work` immediately: during a step as a part of that step, otherwise as a step of its own. Events that `work` sends
    /// run after that step.
    func runAsStep<Result>(_ work: () -> Result) -> Result {
        guard !isBusy else { return work() }
        isBusy = true
        let result = work()
        let hasPosts = !postedWork.isEmpty
        finish()
        if hasPosts { didRunPostedEvents?() }
        return result
    }

    /// Runs the posted work, including work that is posted meanwhile.
    @usableFromInline func drain() {
        while !postedWork.isEmpty {
            // Taken out of the property, because the release of what an event has may post another one.
            for work in exchange(&postedWork, with: []) { work() }
        }
        postCount = 0
        if firesAfterStep { fireDueTimers() }
    }

    /// Fires the due timers that had to wait for the step, which has ended. A call inside of another does nothing: the outer call
    /// fires the timers.
    private func fireDueTimers() {
        firesAfterStep = false
        guard let clock, !isFiringAfterStep else { return }
        (isFiringAfterStep, isBusy) = (true, false)
        clock.fireDueTimers()
        isFiringAfterStep = false
    }
}
