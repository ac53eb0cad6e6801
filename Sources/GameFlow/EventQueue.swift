/// One event at a time, for all machines that share it: what is sent from inside a step waits until
/// that step, and everything deferred that it set free, is over.
public final class EventQueue {
    private var isBusy = false
    private var posted: [() -> Void] = []
    /// How many were posted since the run began.
    private var count = 0
    private let isDeaf: Bool

    /// How many events may be posted in one run: a flow that answers itself for ever would never let
    /// anybody else have a turn.
    public static let postLimit = 1000

    public init() { isDeaf = false }

    /// A queue of which `isDeaf` drops what is posted: for who asks what one step does, and no more.
    init(isDeaf: Bool) { self.isDeaf = isDeaf }

    /// Runs a step to completion, and then what was posted meanwhile, in order.
    func run(_ step: () throws(Reason) -> Void) throws(Reason) {
        precondition(!isBusy, "inside a step an event is posted, not sent")
        isBusy = true
        defer { isBusy = false }
        do throws(Reason) { try step() } catch {
            drain()
            throw error
        }
        if !posted.isEmpty { drain() }
    }

    /// Has `work` done once the present step is over; at once if there is none. Says no past the limit.
    func post(_ work: @escaping () -> Void) -> Bool {
        if isDeaf { return true }
        guard count < Self.postLimit else { return false }
        count += 1
        posted.append(work)
        if !isBusy { during {} }
        return true
    }

    /// Does `work` at once, as a step of its own or as part of the present one: what it posts comes
    /// after it.
    func during(_ work: () -> Void) {
        guard !isBusy else { return work() }
        isBusy = true
        defer { isBusy = false }
        work()
        drain()
    }

    private func drain() {
        var next = 0
        while next < posted.count {
            posted[next]()
            next += 1
        }
        posted.removeAll()
        count = 0
    }
}
