internal import GameFlow
internal import Timers

/// An event that waits in a `CollectWindow`, and its outcome afterwards.
package final class WaitingEvent {
    let arguments: [Member]
    /// The context of the request. Its rights and its age were checked when it was received.
    let context: RequestContext
    let receipt: Change.Receipt
    private var state = State.waiting([])

    package typealias Outcome = Result<Answer<Change>, RequestError>

    private enum State {
        case waiting([(Outcome?) -> Void])
        /// Nil if the sessions were given up before the window ended.
        case ended(Outcome?)
    }

    init(_ arguments: [Member], _ context: RequestContext, _ receipt: Change.Receipt) {
        (self.arguments, self.context, self.receipt) = (arguments, context, receipt)
    }

    /// Calls `done` once with the outcome: immediately if the window has ended, otherwise when it ends. The outcome is nil if the
    /// sessions were given up first; then the event was not sent.
    package func whenEnded(_ done: @escaping (Outcome?) -> Void) {
        switch state {
        case .waiting(let waiting): state = .waiting(waiting + [done])
        case .ended(let outcome): done(outcome)
        }
    }

    func end(_ outcome: Outcome?) {
        guard case .waiting(let waiting) = state else { return }
        state = .ended(outcome)
        for done in waiting { done(outcome) }
    }
}
