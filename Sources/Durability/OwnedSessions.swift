public import GameFlow
public import Journal
public import Sessions
public import Timers

/// The sessions of one store while this process owns it. Requests are executed and timers fire only while the process may act
/// as the owner. `drain` prepares an orderly release of the sessions. Use it on the loop's thread.
///
/// The user of this object must be the delegate of `groupCommit`. The user must pass the call `holdTimers` on to this object,
/// and call `handleHeldRequests` after each outcome of the store.
public final class OwnedSessions {
    public let sessions: Sessions
    /// Writes the rows of the sessions to `store`.
    public let groupCommit: GroupCommit
    /// The sessions that could not be restored.
    public let quarantined: [Sessions.QuarantineError]
    /// The number of sessions that are decoded at a start, which takes up to 10 ms. The others are decoded when they are needed. On
    /// a virtual clock all are decoded, because the clock moves from timer to timer.
    private static let decodedAtStart = 2000
    private let store: any Store
    private let clock: any TimerClock
    /// The clock, if its timers can be held; nil for a virtual clock, which moves only by requests.
    private var holdableClock: (any HoldableClock)? { clock as? any HoldableClock }
    /// Holds requests while they cannot be executed.
    private let gate: RequestGate
    /// Returns whether this process may act as the owner at this moment.
    private let isTrusted: () -> Bool
    /// The instant until which the previous owner fired timers before it handed the sessions over; nil without a hand-over.
    private let handedOverAt: Instant?
    /// The last time at which an owner acted for the sessions.
    private let lastAlive: Instant
    /// Whether the sessions continue those that this process had before a standstill: steps of then can be undone.
    private let continuesEarlierSessions: Bool

    private var phase = Phase.serving
    /// The callbacks of `drain`.
    private var drainCallbacks: [() -> Void] = []
    /// Returns whether the user of this object has work that a drain must wait for.
    private var isBusy: () -> Bool = { false }
    /// The instant until which timers were fired before the drain.
    private var lastFiringInstant = Instant.zero

    private enum Phase {
        /// Requests are executed and timers fire, if the process may act as the owner.
        case serving
        /// No further request is executed; the changes so far become durable.
        case draining
        case ended
    }

    /// Restores the sessions from `content`, which was read from the rows of `store`. After a hand-over all timers continue:
    /// `handedOverAt` is the instant until which the previous owner fired them. Otherwise `handedOverAt` is nil, and each timer
    /// continues as after a restart; `lastAlive` is the last time at which an owner ran, or nil if none ever ran. `format` is the
    /// format of new rows. `earlier` are the sessions of this store that this process had before it stood still and gave them
    /// up; nil if it had none. `onProgress` is called with the number of sessions that were dealt with. `isTrusted` returns
    /// whether the process may act as the owner now.
    public init(
        _ content: Sessions.JournalContent, lastAlive: Instant?, handedOverAt: Instant?,
        _ catalog: FlowCatalog, in store: any Store, on clock: any TimerClock,
        format: RowFormat = .newest, continuing earlier: Sessions? = nil,
        onProgress: (Int) -> Void = { _ in }, isTrusted: @escaping () -> Bool
    ) {
        (self.store, self.clock, self.isTrusted) = (store, clock, isTrusted)
        self.handedOverAt = handedOverAt
        self.lastAlive = handedOverAt ?? lastAlive ?? clock.now
        sessions = Sessions(catalog, on: clock)
        quarantined = sessions.restore(
            content, lastAlive: self.lastAlive, wasRunning: handedOverAt != nil,
            decoding: clock.isReal ? Self.decodedAtStart : .max, onProgress: onProgress)
        continuesEarlierSessions =
            handedOverAt == nil && earlier.map(sessions.continueHistory) == true
        groupCommit = GroupCommit(
            sessions, in: store, newest: content.newest, format: format)
        gate = RequestGate(groupCommit)
        groupCommit.mayServe = isTrusted
        holdableClock?.mayFire = isTrusted
    }

    /// Whether no session was restored or quarantined. A start then need not be recorded, because the record serves only to
    /// compute how long the timers of sessions stood still.
    public var isEmpty: Bool { sessions.count + sessions.quarantinedCount == 0 }

    /// Records that this process has become the owner, with further information in `notes`. Does nothing if the store keeps no
    /// rows.
    public func recordStart(_ notes: [Member]) {
        guard store.keepsRows else { return }
        if continuesEarlierSessions {
            sessions.recordStandstill(since: lastAlive, notes)
        } else {
            sessions.recordStart(notes, lastAlive: lastAlive, wasRunning: handedOverAt != nil)
        }
    }

    /// Whether the sessions are neither being drained nor ended.
    public var isServing: Bool { phase == .serving }
    public var hasEnded: Bool { phase == .ended }
    /// Whether requests can be executed at this moment.
    public var mayServe: Bool { isServing && isTrusted() }

    /// Calls `request` once with the decision on it: now, or later in the order of the calls.
    public func pass(_ request: @escaping (RequestGate.Decision) -> Void) { gate.pass(request) }

    /// Refuses the requests that are held at this moment.
    public func refuseHeldRequests(why: String) { gate.refuseHeld(why: why) }

    /// The number of requests that wait for a decision.
    public var heldRequests: Int { gate.heldCount }
    /// The number of requests that waited, and got a decision.
    public var decidedRequests: Int { gate.decidedCount }

    /// Call this after the lease was renewed. If the process may act as the owner again, fires the timers that are due, and
    /// executes the held requests.
    public func leaseWasRenewed() {
        guard mayServe else { return }
        clock.fireDueTimers()
        gate.retry()
    }

    /// Stops the timers, or resumes them and fires those that are due.
    public func holdTimers(_ isHeld: Bool) {
        guard isServing else { return }
        holdableClock?.isHeld = isHeld
        if !isHeld { holdableClock?.fireDueTimers() }
    }

    /// Call this after each outcome of the store, when the clients have been told of the outcome. Refuses held requests while
    /// the storage is out, and executes them if it works. Continues a drain.
    public func handleHeldRequests() {
        gate.retry()
        finishDraining()
    }

    // MARK: the end

    /// Stops executing requests and firing timers. `isBusy` returns whether the caller has work that must end first. Waits
    /// until all rows are durable and `isBusy` returns false. Then writes a high-water mark with the instant until which timers
    /// were fired, and calls `done`.
    public func drain(while isBusy: @escaping () -> Bool = { false }, _ done: @escaping () -> Void)
    {
        guard phase != .ended else { return }
        drainCallbacks.append(done)
        guard phase == .serving else { return }
        clock.fireDueTimers()
        holdableClock?.isHeld = true
        gate.isClosed = true
        (phase, lastFiringInstant, self.isBusy) = (.draining, sessions.now, isBusy)
        groupCommit.flush()
        finishDraining()
    }

    /// Ends a drain if nothing more must be waited for. Call this when the result of `isBusy` may have become false.
    public func finishDraining() {
        guard phase == .draining, sessions.uncommittedRows == 0, !drainCallbacks.isEmpty, !isBusy()
        else { return }
        store.mark(
            HighWaterMark(position: sessions.durableRow, atNs: lastFiringInstant.nanoseconds))
        for done in exchange(&drainCallbacks, with: []) { done() }
    }

    /// Ends the sessions in memory, because the process is no longer their owner. First calls `endUsers`, which ends the
    /// objects that use the sessions. Then passes the remaining rows to the store.
    public func end(_ endUsers: () -> Void) {
        guard phase != .ended else { return }
        phase = .ended
        endUsers()
        groupCommit.end()
        endSessions()
    }

    /// Ends the sessions in memory without passing rows to the store, as if the process were killed.
    public func abandon() {
        phase = .ended
        sessions.recorder = nil
        endSessions()
    }

    private func endSessions() {
        holdableClock?.isHeld = true
        gate.discard()
        sessions.endMachines()
    }
}
