public import Timers

/// One event at a time, for all machines that share the queue: an event that is sent from inside a step waits until
/// that step, and every deferred event that it made acceptable, is over.
public final class EventQueue {
    @exclusivity(unchecked) @usableFromInline var isBusy = false
    @exclusivity(unchecked) @usableFromInline var posted: [() -> Void] = []
    /// The timers of the entry that is being made.
    @exclusivity(unchecked) @usableFromInline var making = TimerGroup()
    /// How many events were posted since the run began.
    private var count = 0
    private let dropsPosts: Bool
    /// Called after events that were posted outside any step have run.
    public var didRunAlone: (() -> Void)?

    /// How many events may be posted in one run. Without a limit, a flow that answers itself would never end.
    public static let postLimit = 1000

    public init() { dropsPosts = false }

    /// Whether a step runs now.
    public var isRunning: Bool { isBusy }

    /// A queue that may drop what is posted, to find out what one step alone does.
    init(dropsPosts: Bool) { self.dropsPosts = dropsPosts }

    /// Runs a step to completion, and then what was posted meanwhile, in order. Not to be called during a step.
    @inlinable func run(_ step: () throws(Reason) -> Void) throws(Reason) {
        isBusy = true
        do throws(Reason) { try step() } catch {
            finish()
            throw error
        }
        finish()
    }

    @inlinable func finish() {
        if !posted.isEmpty { drain() }
        isBusy = false
    }

    /// Runs `work` once the present step is over; at once if there is none. Returns false past the limit.
    func post(_ work: @escaping () -> Void) -> Bool {
        if dropsPosts { return true }
        guard count < Self.postLimit else { return false }
        count += 1
        posted.append(work)
        if !isBusy { during {} }
        return true
    }

    /// Runs `work` at once, as a step of its own or as part of the present one: what it posts comes after it.
    func during(_ work: () -> Void) {
        guard !isBusy else { return work() }
        isBusy = true
        work()
        finish()
        didRunAlone?()
    }

    @usableFromInline func drain() {
        var next = 0
        while next < posted.count {
            posted[next]()
            next += 1
        }
        posted.removeAll()
        count = 0
    }
}
