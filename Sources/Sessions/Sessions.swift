public import GameFlow
internal import Support
public import Timers

/// The named sessions of a daemon or of a shard: passes events and operators' commands to the sessions' machines, and answers
/// queries about the sessions.
///
/// This class uses no socket, no clock of its own, and no randomness except that of `seeds`. With the same seeds, the same calls
/// at the same instants therefore produce the same changes, byte for byte. The user of this class fires the due timers before each
/// call.
///
/// Use this class on the loop's thread only. `@exclusivity(unchecked)` marks the stored properties that each event uses.
/// Overlapping accesses to these properties are not checked at run time, because the check would take an eighth of a request's
/// time. This is safe: no access to them is in progress while code of flows, hooks, watchers or recorders runs.
public final class Sessions {
    /// The flows with which sessions are opened, and the older versions that sessions play.
    public let catalog: FlowCatalog
    public let limits: Limits
    /// Fires the sessions' timers; their deadlines are instants of this clock.
    public let clock: any TimerClock
    /// The timers of `clock`.
    let timerQueue: TimerQueue
    /// Runs one event at a time over all sessions.
    let queue = EventQueue()
    /// The open sessions, by name and in the order of their names.
    @exclusivity(unchecked) var index = SessionIndex()
    /// The open sessions that are not decoded yet, which are not in `index`; nil if all are decoded.
    @exclusivity(unchecked) var unread: UnreadSessions?
    /// Called when a session could not be restored that was decoded after the restart.
    public var sessionWasQuarantined: ((QuarantineError) -> Void)?
    /// The newest changes of all sessions, by `pos`.
    @exclusivity(unchecked) var ring: ChangeRing
    /// The newest refused events of all sessions, numbered from 1.
    private(set) var refusals: Ring<RefusedEvent>
    @exclusivity(unchecked) var idempotencyCache: IdempotencyCache
    /// The watches, and the notifications that are waiting to be sent.
    @exclusivity(unchecked) var subscriptions = Subscriptions()
    /// The sessions before those of the newest changes that begin a step which can be undone, by the `pos` of that change.
    @exclusivity(unchecked) var statesBeforeSteps: Ring<SessionState>
    /// What the machines have done in the running call; empty between calls.
    @exclusivity(unchecked) var transcript = Transcript()
    /// The timers that have fired in the running `advance`, also those that events of links have caused to fire; nil outside of one.
    @exclusivity(unchecked) var firedInAdvance: [FiredTimer]?
    /// Called with each new record and the journal position of its session's previous row; returns the position
    /// of the new row. Nil if changes are not recorded.
    @exclusivity(unchecked) public var recorder:
        ((SessionRecord, JournalPosition) -> JournalPosition)?
    /// What the sessions know of the journal, such as the rows that are not durable yet.
    @exclusivity(unchecked) var recording = JournalState()
    /// Called after each change that leaves its session in a state that could not be restored. Nil, as in a release
    /// build, omits the check, which takes as long as the change itself.
    @exclusivity(unchecked) public var reportUnrestorable: ((UnrestorableSession) -> Void)?
    /// The signal of the timer that the players' screen of a session shows in large type, by the session's name. Set from the
    /// daemon's configuration; the flow chooses the timer of any other session.
    public var largeTimers: [SessionName: String] = [:]
    /// The sessions that are marked as stuck.
    @exclusivity(unchecked) public internal(set) var stuckMarks = StuckMarks()
    /// How people join, by the session. Not recorded: a part of the daemon sets it when a session enters a state that lets people
    /// join.
    @exclusivity(unchecked) public var screenJoins: [SessionName: ScreenJoin] = [:]
    /// How long each session stays in its state; nil unless `followStays` was called.
    @exclusivity(unchecked) var stays: SessionStays?
    /// Decides which steps of other sessions follow from changes; nil if no sessions are linked.
    @exclusivity(unchecked) public var links: (any SessionLinks)?
    /// The steps of linked sessions that are not made yet.
    @exclusivity(unchecked) var linkQueue = LinkQueue()
    /// Whether `closedSession` returns sessions. A watcher that needs the flow and the labels of closed sessions sets it.
    public var keepsClosedSessions = false
    /// The sessions that were closed since `forgetClosedSessions` was called, by the `pos` of the closing. Beyond
    /// `limits.closedSessions`, no session can be closed.
    var closedSessions: [Int: Session] = [:]
    /// The counts for the metrics. A process with several shards sets the same object in all of them, before the first change.
    @exclusivity(unchecked) public var counts = SessionCounts()
    /// Where sessions whose flows draw random values get their seeds.
    public var seeds = SessionSeeds()
    /// What dates the instants of the sessions' clock have.
    public let clockCorrections = ClockCorrections()
    /// A participant that runs on the virtual clock beside the sessions; nil without a simulation.
    public weak var simulator: (any SimulatedParticipant)?

    public convenience init(
        _ flows: [AnyFlow], on clock: any TimerClock, limits: Limits = Limits()
    ) {
        self.init(FlowCatalog(flows.map { .init($0) }), on: clock, limits: limits)
    }

    public init(
        _ catalog: FlowCatalog, on clock: any TimerClock, limits: Limits = Limits()
    ) {
        self.catalog = catalog
        self.clock = clock
        timerQueue = clock.timerQueue
        isVirtual = clock is VirtualClock
        beginning = clock.timerQueue.now
        self.limits = limits
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes)
        statesBeforeSteps = Ring(limit: limits.undoChanges, byteLimit: limits.undoBytes)
        refusals = Ring(limit: limits.refusals, byteLimit: limits.refusalBytes)
        idempotencyCache = IdempotencyCache(limits)
        queue.didRunPostedEvents = { [unowned self] in applyPosted() }
    }

    /// The present instant of the sessions' clock.
    public var now: Instant { timerQueue.now }
    /// The windows in which events wait for others, by the names of their sessions.
    @exclusivity(unchecked) var collectWindows: [SessionName: CollectWindow] = [:] {
        didSet { hasCollectWindows = !collectWindows.isEmpty }
    }
    /// Whether a window is open. Each event reads it, and reading the dictionary would count a reference.
    @exclusivity(unchecked) private(set) var hasCollectWindows = false
    /// Whether the clock is virtual and moves only by `advance`.
    public let isVirtual: Bool
    /// The instant from which refused events are remembered.
    let beginning: Instant
    /// The number of open sessions.
    public var count: Int { index.count + unreadCount }
    /// The `pos` of the newest change; 0 before the first change.
    public var pos: Int { ring.end - 1 }
    /// The `pos` of the next change that a machine makes.
    var nextPos: Int { ring.end + transcript.changeCount }

    // MARK: finding

    /// Returns the session with the name `name`; throws if there is none or if it is quarantined.
    public func session(_ name: SessionName) throws(RequestError) -> Session {
        if let session = openSession(name) { return session }
        if let why = quarantine(of: name) { throw quarantineError(name, why) }
        throw .unknownSession(
            name.text, didYouMean: DidYouMean.suggest(name.text, index.neighbours(of: name.text)))
    }

    /// The open session whose name has these bytes; nil if there is none. The bytes come from a client and may be any.
    package func openSession(named name: UnsafeBufferPointer<UInt8>) -> Session? {
        if let session = index.find(name) { return session }
        guard unread != nil, let name = SessionName(String(decoding: name, as: UTF8.self)) else {
            return nil
        }
        return openSession(name)
    }

    /// The newest versions of the flows, in the order in which clients see them.
    public var flows: [AnyFlow] { catalog.flows }

    /// Returns the newest version of the flow with the name `name`; throws if there is none.
    public func flow(_ name: String) throws(RequestError) -> AnyFlow {
        if let flow = catalog.newest(name) { return flow }
        throw .unknownFlow(name, didYouMean: DidYouMean.suggest(name, flows.map(\.name)))
    }

    /// The wall clock beside the sessions' clock.
    public var wallClock: CivilClock { timerQueue.wallClock }

    /// All open sessions, in the order of their names.
    public var all: [Session] {
        decodeAll()
        return index.all
    }

    /// Returns up to `limit` sessions in the order of their names, starting after the name `after`, and whether
    /// there are more. Leaves out sessions for which `isVisible` is false, and those that are not decoded yet if `areUnreadListed`
    /// is false.
    public func list(
        flow: String? = nil, after: SessionName? = nil, limit: Int, areUnreadListed: Bool = true,
        where isVisible: (SessionName) -> Bool = { _ in true }
    ) -> (sessions: [Session], more: Bool) {
        var search = SessionSearch(
            flow: flow, after: after, limit: limit, areUnreadListed: areUnreadListed)
        while true {
            if let page = search.advance(in: self, examining: .max, where: isVisible) {
                return page
            }
        }
    }

    // MARK: closed sessions

    /// The session that the change has closed; nil if it was forgotten.
    public func closedSession(by change: Change) -> Session? { closedSessions[change.pos] }

    /// Releases the closed sessions.
    public func forgetClosedSessions() {
        if !closedSessions.isEmpty { closedSessions = [:] }
    }

    // MARK: changes

    /// Empties the ring of the newest changes. The next change gets the number `pos`.
    func startRing(at pos: Int) {
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes, startingAt: pos)
        statesBeforeSteps = Ring(
            limit: limits.undoChanges, byteLimit: limits.undoBytes, startingAt: pos)
    }

    /// Adds a change to the ring and to the journal, and queues its notifications and linked steps. `rows` are the rows of the
    /// running call. `isLast` says whether this is the session's last change in the call; the row of the last change contains
    /// the snapshot.
    func add(_ change: Change, of session: Session, _ rows: inout CallRows, isLast: Bool) {
        ring.append(change) { removed in
            // The caller still needs the change of this call as a whole.
            guard removed.isNewest, removed !== change else { return }
            settle(removed)
        }
        // Also taken if it is not kept: the state is that before the first change of the call, and not before a later one.
        let before = rows.before?.takeForChange(of: session)
        statesBeforeSteps.append(change.isOfStep ? before : nil)
        record(change, of: session, &rows, isLast: isLast)
        if !isRecorded { followStay(change, of: session) }
        checkRestoring(session, after: change)
        queueNotification(.changes, of: session) { .change(change) }
        if change.kind == .close { endRecordedWatches(of: session, after: change) }
        queueLinkedSteps(after: change, of: session, callSteps: rows.stepCount)
    }

    /// The session's newest change has left the ring.
    @inline(never) private func settle(_ change: Change) {
        guard let session = index[change.session], session.lastPos == change.pos else { return }
        session.settle()
    }

    /// Adds an event that a session refuses now to its history, and notifies the watchers. `receipt` is given for an event that waits for
    /// others, even if it was refused at once.
    package func refuse(
        _ event: EventRecord, from source: Source, _ error: RequestError, of session: Session,
        receipt: Change.Receipt? = nil
    ) {
        addRefusedEvent(
            RefusedEvent(event, from: source, error, of: session, receipt: receipt), of: session)
        publish()
    }

    /// Adds a refused event to the session's history and to the journal, and queues its notification.
    func addRefusedEvent(_ refused: RefusedEvent, of session: Session) {
        (refused.number, refused.previous) = (refusals.end, session.lastRefusal)
        recordRefusal(refused, of: session)
        refused.newestRow = session.newestCheckpoint.newestRow.position
        session.lastRefusal = refused.number
        refusals.append(refused)
        counts.countRefusal(refused, session.flow)
        queueNotification(.refusals, of: session) { .refused(refused) }
    }
}
