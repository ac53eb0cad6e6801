internal import GameFlow
internal import Timers

/// The time in which events of one name wait in a session. Its timer is one of the sessions' clock.
final class CollectWindow: TimerOwner {
    let session: Session
    let event: EventIndex
    /// The events, in the order in which they were received.
    private(set) var events: [WaitingEvent] = []
    private var timers = TimerGroup()
    private let timerQueue: TimerQueue

    /// Opens a window that ends after `time`, or before the first firing that would change the session.
    init(_ session: Session, _ event: EventIndex, for time: Duration, on timerQueue: TimerQueue) {
        (self.session, self.event, self.timerQueue) = (session, event, timerQueue)
        super.init()
        let time = FirstChange.time(of: session.machine, within: time, at: timerQueue.now)
        _ = timerQueue.setCountdown(time, tag: 0, in: &timers, for: self)
    }

    deinit { end() }

    /// Ends the timer.
    func end() {
        timerQueue.end(timers)
        timers = TimerGroup()
    }

    override func due(_ firing: Firing) { session.sessions.endCollecting(of: session) }

    func add(_ event: WaitingEvent) { events.append(event) }

    /// The events in the order in which they are sent: by the instants at which the clients sent them, then by those at which they
    /// were received.
    var inOrder: [WaitingEvent] {
        events.enumerated().sorted {
            ($0.element.receipt.sent, $0.offset) < ($1.element.receipt.sent, $1.offset)
        }.map(\.element)
    }
}
