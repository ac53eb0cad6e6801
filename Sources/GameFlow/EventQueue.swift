/// One event at a time, for all machines that share it: what is sent from inside a step waits until
/// that step, and everything deferred that it set free, is over.
public final class EventQueue {
    private var isBusy = false
    private var posted: [() -> Void] = []

    public init() {}

    /// Runs a step to completion, and then what was posted meanwhile, in order.
    func run(_ step: () throws(Refusal) -> Void) throws(Refusal) {
        precondition(!isBusy, "inside a step an event is posted, not sent")
        isBusy = true
        defer { isBusy = false }
        do throws(Refusal) { try step() } catch {
            drain()
            throw error
        }
        if !posted.isEmpty { drain() }
    }

    /// Has `work` done once the present step is over; at once if there is none.
    public func post(_ work: @escaping () -> Void) {
        posted.append(work)
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        drain()
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
    }
}
