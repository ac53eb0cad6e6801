public import GameFlow
internal import Support
public import Timers

/// Many named machines: sends them events and orders, and answers questions about them.
///
/// It has no socket, no clock and no randomness of its own: the same calls at the same times give the
/// same changes, to the byte. The caller fires the timers that are due before it calls.
///
/// Belongs to the loop's thread. The stored properties that each event touches are not checked for overlapping accesses
/// at run time, which would take an eighth of a request's time. What makes that safe: no access to them is held while
/// code of flows, hooks, watchers or recorders runs.
public final class Sessions {
    public let flows: [AnyFlow]
    public let limits: Limits
    public let timeline: any TimerClock
    let timerQueue: TimerQueue
    /// One event at a time for all sessions together.
    let queue = EventQueue()
    @exclusivity(unchecked) var index = SessionIndex()
    @exclusivity(unchecked) var ring: ChangeRing
    private(set) var refusals: Ring<RefusedEvent>
    @exclusivity(unchecked) var receipts: IdempotencyCache
    @exclusivity(unchecked) var subscriptions = Subscriptions()
    /// What machines have done in the call that runs now; empty between two calls.
    @exclusivity(unchecked) var log = StepLog()
    /// Is given each record as it comes to be, and the mark of its session's row before it; answers with its
    /// own mark.
    @exclusivity(unchecked) public var recorder:
        ((SessionRecord, JournalPosition) -> JournalPosition)?
    @exclusivity(unchecked) var recording = JournalState()
    /// Hears of each change after which its session could not be restored. Nil where nobody asks for that,
    /// as in a release: it takes as long as the change itself.
    @exclusivity(unchecked) public var unrestorable: ((Unrestorable) -> Void)?
    /// What moves on the virtual clock beside the sessions; nil where nothing does.
    public weak var companion: (any SimulatedParticipant)?

    public init(
        _ flows: [AnyFlow], on timeline: any TimerClock, limits: Limits = Limits()
    ) {
        self.flows = flows
        self.timeline = timeline
        timerQueue = timeline.timerQueue
        isVirtual = timeline is VirtualClock
        self.limits = limits
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes)
        refusals = Ring(limit: limits.refusals, byteLimit: limits.refusalBytes)
        receipts = IdempotencyCache(limits)
        queue.didRunAlone = { [unowned self] in applyPosted() }
    }

    /// The present instant of the sessions' clock.
    public var now: Instant { timerQueue.now }
    /// Whether the clock moves only by `advance`.
    public let isVirtual: Bool
    public var count: Int { index.count }
    /// The position of the newest change; 0 before the first.
    public var pos: Int { ring.end - 1 }
    var nextPos: Int { ring.end + log.unapplied }
    /// How many events were refused since the start.
    public var refused: Int { refusals.end - 1 }

    // MARK: finding

    /// The session of that name.
    public func session(_ name: SessionName) throws(RequestError) -> Session {
        if let session = index[name] { return session }
        if let why = recording.quarantine[name] { throw quarantined(name, why) }
        throw .unknownSession(
            name.text, didYouMean: DidYouMean.suggest(name.text, index.neighbours(of: name.text)))
    }

    /// The flow of that name.
    public func flow(_ name: String) throws(RequestError) -> AnyFlow {
        if let flow = flows.first(where: { $0.name == name }) { return flow }
        throw .unknownFlow(name, didYouMean: DidYouMean.suggest(name, flows.map(\.name)))
    }

    /// Up to `limit` sessions after a name, by name, and whether there are more.
    /// Only those are listed that `isVisible` takes.
    public func list(
        flow: AnyFlow? = nil, after: SessionName? = nil, limit: Int,
        where isVisible: (SessionName) -> Bool = { _ in true }
    ) -> (sessions: [Session], more: Bool) {
        // A copy: the closure is foreign code, and is not called while the index is accessed.
        let index = self.index
        let page = index.page(after: after, limit: limit + 1) {
            (flow == nil || $0.flow === flow) && isVisible($0.name)
        }
        return (Array(page.prefix(limit)), page.count > limit)
    }

    // MARK: opening and closing

    /// Opens a session, in its flow's initial state if no other is named.
    public func open(
        _ name: SessionName, _ flow: AnyFlow, state: String? = nil, data: [Member] = [],
        _ context: RequestContext
    ) throws(RequestError) -> Session {
        guard index[name] == nil else { throw .exists(name.text) }
        if let why = recording.quarantine[name] { throw quarantined(name, why) }
        guard count < limits.sessions else {
            throw .limit(which: "sessions", limit: limits.sessions)
        }
        if let state, flow.finals.contains(state) {
            throw .invalid(
                .state(state), argument: "state", why: "no session begins in a final state")
        }
        try checkCall(on: name)
        let session = Session(name, flow, in: self)
        index.insert(session)
        do throws(RequestError) { try begin(session, state, data, context) } catch {
            index.remove(session)
            throw error
        }
        remember(
            CachedAnswer(change: session.lastChange, shown: .status(session.status)), context,
            of: session)
        return session
    }

    private func begin(
        _ session: Session, _ state: String?, _ data: [Member], _ context: RequestContext
    ) throws(RequestError) {
        let result = run(id: context.id, on: nil) { () throws(Reason) in
            try session.machine.open(state, data, from: context.source)
        }
        guard let refusal = result.refusal else { return }
        throw explain(refusal, state: state ?? session.flow.initial, session.flow)
    }

    /// Ends a session: its timers, the watches on it by name, and the memory of its ids. Returns the session as it was.
    @discardableResult public func close(_ session: Session, _ context: RequestContext)
        throws(RequestError) -> Answer<SessionStatus>
    {
        if let answer = answer(to: context, of: session.name) { return answer }
        try checkCall(on: session.name)
        let status = session.status
        let before = isRecorded ? PriorState(session) : nil
        index.remove(session)
        _ = run(id: context.id, on: session, before: before) {
            session.did(Step(.close, from: context.source, status.place, nil))
        }
        session.machine.end()
        // With a store, that has to be durable first.
        if !isRecorded {
            receipts.forgetAll(of: session.name)
            endWatches(of: session.name)
        }
        remember(
            CachedAnswer(change: session.lastChange, shown: .status(status)), context, of: session)
        return Answer(status, row: row(of: session))
    }

    // MARK: changes

    func startRing(at pos: Int) {
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes, startingAt: pos)
    }

    func keep(_ change: Change, of session: Session, _ rows: inout CallRows, isLast: Bool) {
        ring.append(change)
        log.unapplied -= 1
        record(change, of: session, &rows, isLast: isLast)
        checkRestoring(session, after: change)
        notice(.changes, of: session) { .change(change) }
    }

    /// A peer asked for something that it may not do: that is part of the session's history.
    public func keepForbidden(
        _ method: String, _ error: RequestError, of session: Session, from source: Source
    ) {
        keepRefused(EventRecord(method, []), source, error, of: session, after: session.seq)
        publish()
    }

    func keepRefused(
        _ event: EventRecord, _ source: Source, _ error: RequestError, of session: Session,
        after seq: Int
    ) {
        let refused = RefusedEvent(
            event, source, error, of: session, after: seq, number: refusals.end, at: now)
        recordRefusal(event, source, error, of: session, after: seq)
        refused.mark = session.written.mark.position
        session.lastRefusal = refusals.end
        refusals.append(refused)
        notice(.refusals, of: session) { .refused(refused) }
    }
}
