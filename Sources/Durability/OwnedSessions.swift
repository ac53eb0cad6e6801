public import GameFlow
public import Journal
public import Sessions
public import Timers

/// The sessions of one store while this process owns it. Requests are executed and timers fire only while the process may act as
/// the owner, and the sessions can be given up in an orderly way. Use it on the loop's thread.
///
/// Its user is the delegate of `groupCommit` and passes on what concerns the sessions: `holdTimers`, `rowsBecameDurable`.
public final class OwnedSessions {
    public let sessions: Sessions
    public let groupCommit: GroupCommit
    /// The sessions that could not be restored.
    public let quarantined: [Sessions.QuarantineError]
    private let store: any Store
    private let clock: any HoldableClock
    private let gate: RequestGate
    private let isTrusted: () -> Bool
    private let handedOverAt: Instant?
    /// The last time at which an owner acted for the sessions.
    private let lastAlive: Instant

    private var phase = Phase.serving
    private var drained: [() -> Void] = []
    private var isBusy: () -> Bool = { false }
    /// Until when timers were fired.
    private var drainedAt = Instant.zero

    private enum Phase {
        case serving
        /// No request is taken any more; what was taken becomes durable.
        case draining
        case ended
    }

    /// Restores the sessions. After a hand-over all timers continue: `handedOverAt` is until when the last owner has fired
    /// them. Otherwise each continues as after a restart; `lastAlive` is when an owner last ran, nil if none ever did.
    /// `isTrusted` says whether the process may act as the owner at this moment.
    public init(
        _ written: Sessions.Written, lastAlive: Instant?, handedOverAt: Instant?,
        _ catalog: FlowCatalog, in store: any Store, on clock: any HoldableClock,
        isTrusted: @escaping () -> Bool
    ) {
        (self.store, self.clock, self.isTrusted) = (store, clock, isTrusted)
        self.handedOverAt = handedOverAt
        self.lastAlive = handedOverAt ?? lastAlive ?? clock.now
        sessions = Sessions(catalog, on: clock)
        quarantined = sessions.restore(
            written, lastAlive: self.lastAlive, wasRunning: handedOverAt != nil)
        groupCommit = GroupCommit(sessions, in: store, newest: written.newest)
        gate = RequestGate(groupCommit)
        groupCommit.mayServe = isTrusted
        clock.mayFire = isTrusted
    }

    /// Records that this process has become the owner, with further information in `notes`. Only sessions that are restored
    /// need to know how long they stood still.
    public func recordStart(_ notes: [Member]) {
        guard sessions.count + sessions.quarantined > 0 else { return }
        sessions.recordStart(notes, lastAlive: lastAlive, wasRunning: handedOverAt != nil)
    }

    /// Whether the sessions are neither given up nor lost.
    public var isServing: Bool { phase == .serving }
    public var hasEnded: Bool { phase == .ended }
    /// Whether requests can be executed at this moment.
    public var mayServe: Bool { isServing && isTrusted() }

    /// Calls `request` once with what to do with it: now, or later in the order of the calls.
    public func pass(_ request: @escaping (RequestGate.Decision) -> Void) { gate.pass(request) }

    /// The process may act as the owner again: fires what is due, and lets held requests pass.
    public func trustReturned() {
        guard mayServe else { return }
        clock.settle()
        gate.retry()
    }

    public func holdTimers(_ isHeld: Bool) {
        guard isServing else { return }
        clock.isHeld = isHeld
        if !isHeld { clock.settle() }
    }

    /// Call it after each outcome of the store, when the clients have got theirs. Held requests are refused while the storage is
    /// out, and executed if it works.
    public func rowsBecameDurable() {
        gate.retry()
        finishDraining()
    }

    // MARK: the end

    /// Takes no further request and fires no timer. Calls `done` when everything is durable and `isBusy` is false, after the
    /// store has got the mark until when timers were fired.
    public func drain(while isBusy: @escaping () -> Bool = { false }, _ done: @escaping () -> Void)
    {
        guard phase != .ended else { return }
        drained.append(done)
        guard phase == .serving else { return }
        clock.settle()
        (clock.isHeld, gate.isClosed) = (true, true)
        (phase, drainedAt, self.isBusy) = (.draining, sessions.now, isBusy)
        groupCommit.flush()
        finishDraining()
    }

    /// Call it when `isBusy` may have become false.
    public func finishDraining() {
        guard phase == .draining, sessions.uncommitted == 0, !drained.isEmpty, !isBusy() else {
            return
        }
        store.mark(
            HighWaterMark(position: sessions.durableRow, atNs: drainedAt.nanoseconds))
        for done in exchange(&drained, with: []) { done() }
    }

    /// The process is no longer the owner. Calls `endUsers`, passes the remaining rows to the store, and ends the sessions in
    /// memory.
    public func end(_ endUsers: () -> Void) {
        guard phase != .ended else { return }
        phase = .ended
        endUsers()
        groupCommit.end()
        endSessions()
    }

    /// Ends the sessions in memory without passing rows to the store, as the death of the process does.
    public func abandon() {
        phase = .ended
        sessions.recorder = nil
        endSessions()
    }

    private func endSessions() {
        clock.isHeld = true
        gate.discard()
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
    }
}
