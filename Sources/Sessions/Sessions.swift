public import GameFlow
public import JSON
internal import Support
public import Timers

/// Many named machines behind one face: whoever has an event for one, an override, or a question.
///
/// It has no socket, no clock and no randomness of its own: the same calls at the same times give the
/// same changes, to the byte. Whoever calls settles the timeline first, for time comes before requests.
public final class Sessions {
    public let flows: [AnyFlow]
    public let limits: Limits
    /// How old an event from Bluetooth may be, in milliseconds; the limits' own to begin with.
    public var bluetoothAgeMs: Int
    public let timeline: any TimerClock
    let timerQueue: TimerQueue
    /// One event at a time for all sessions together.
    let queue = EventQueue()
    var index = SessionIndex()
    var ring: ChangeRing
    private(set) var refusals: Ring<RefusedEvent>
    var receipts: Receipts
    var watchersOfAll = WatcherList()
    private var latest = Moment(.zero)
    /// The words of an operator whose `goto` is on its way.
    var reason: String?
    /// The id of the request that is on its way: what it leads to first is written down with it.
    var requestID: String?
    /// Is given each record as it comes to be, and the mark of its session's row before it; answers with its
    /// own mark.
    public var recorder: ((SessionRecord, RowMark) -> RowMark)?
    var recording = Recording()
    /// Hears of each change after which its session could not be restored. Nil where nobody asks for that,
    /// as in a release: it takes as long as the change itself.
    public var unrestorable: ((Unrestorable) -> Void)?
    /// What moves on the virtual clock beside the sessions; nil where nothing does.
    public weak var companion: (any Companion)?

    public init(
        _ flows: [AnyFlow], on timeline: any TimerClock, limits: Limits = Limits()
    ) {
        self.flows = flows
        self.timeline = timeline
        timerQueue = timeline.timerQueue
        self.limits = limits
        bluetoothAgeMs = limits.bluetoothAgeMs
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes)
        refusals = Ring(limit: limits.refusals, byteLimit: limits.refusalBytes)
        receipts = Receipts(limits)
    }

    /// The present instant of the sessions' clock.
    public var now: Instant { timerQueue.now }
    /// Whether the clock moves only by `advance`.
    public var isVirtual: Bool { timeline is VirtualClock }
    public var count: Int { index.count }
    /// The position of the newest change; 0 before the first.
    public var pos: Int { ring.end - 1 }
    var nextPos: Int { ring.end }
    /// How many events were refused since the start.
    public var refused: Int { refusals.end - 1 }

    /// The present instant, as changes carry it.
    var moment: Moment {
        if latest.instant != now { latest = Moment(now, after: latest) }
        return latest
    }

    // MARK: finding

    /// The session of that name.
    public func session(_ name: SessionName) throws(RequestError) -> Session {
        if let session = index[name] {
            see(session.written.mark.position)
            // What is left of its timers shows how far virtual time has got.
            if isVirtual { see(recording.daemon.position) }
            return session
        }
        // One may have been closed just now.
        seeAll()
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
        seeAll()
        let page = index.page(after: after, limit: limit + 1) {
            (flow == nil || $0.flow === flow) && isVisible($0.name)
        }
        return (Array(page.prefix(limit)), page.count > limit)
    }

    // MARK: opening and closing

    /// Opens a session, in its flow's initial state unless told otherwise.
    public func open(
        _ name: SessionName, _ flow: AnyFlow, state: String? = nil, data: [Member] = [],
        from source: Source
    ) throws(RequestError) -> Session {
        seeAll()
        guard index[name] == nil else { throw .exists(name.text) }
        if let why = recording.quarantine[name] { throw quarantined(name, why) }
        guard count < limits.sessions else {
            throw .limit(which: "sessions", limit: limits.sessions)
        }
        if let state, flow.finals.contains(state) {
            throw .invalid(
                .state(state), argument: "state", why: "no session begins in a final state")
        }
        return try durably(name) { () throws(RequestError) in
            try begin(Session(name, flow, in: self), state, data, from: source)
        }
    }

    private func begin(
        _ session: Session, _ state: String?, _ data: [Member], from source: Source
    ) throws(RequestError) -> Session {
        index.insert(session)
        defer { endCall() }
        defer { recordRest(of: session) }
        do throws(Reason) {
            try session.machine.open(state, data, from: source)
        } catch {
            index.remove(session)
            throw explain(error, state: state ?? session.flow.initial, session.flow)
        }
        return session
    }

    /// Ends a session: its timers, the watches on it by name, and the memory of its ids.
    public func close(_ session: Session, from source: Source) throws(RequestError) {
        try durably(session.name) { () throws(RequestError) in
            defer { endCall() }
            index.remove(session)
            session.note(Step(.close, from: source, session.machine.place, nil))
            session.machine.end()
            // Where it is written down, that has to be kept first.
            if !isRecorded {
                receipts.forgetAll(of: session.name)
                endWatches(of: session)
            }
        }
    }

    /// Whoever watches the session by name does so no longer; unless it watches one of the same name that
    /// was opened since.
    func endWatches(of session: Session) {
        let successor = index[session.name]?.watchers
        for (watcher, _) in session.watchers.watchers
        where successor?.watchers.contains(where: { $0.watcher === watcher }) != true {
            watcher.ended(session.name)
        }
    }

    // MARK: changes, kept and told

    func startRing(at pos: Int) {
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes, startingAt: pos)
    }

    func keep(_ change: Change, of session: Session) {
        ring.append(change)
        record(change, of: session)
        checkRestoring(session, after: change)
        tell(.changes, of: session) { Notice(change) }
    }

    /// Tells who watches the session or all; the notice is made only if somebody does.
    /// It goes out once all is kept that it shows; and nothing is shown that will be taken back.
    func tell(_ topic: Topics, of session: Session, _ make: () -> Notice) {
        if recording.outage != nil, topic != .refusals { return }
        guard session.watchers.want(topic) || watchersOfAll.want(topic) else { return }
        let notice = make()
        notice.mark = max(
            session.written.mark.position, isVirtual ? recording.daemon.position : 0)
        if recording.isAdvancing { recording.toldMeanwhile.append(notice) }
        // Copies: whoever is told may end its watch.
        let (some, all) = (session.watchers, watchersOfAll)
        some.tell(notice, topic, of: session.name)
        all.tell(notice, topic, of: session.name)
    }

    /// Somebody wanted to do with a session what he may not: it stands in the session's history.
    public func keepForbidden(
        _ method: String, _ error: RequestError, of session: Session, from source: Source
    ) {
        keepRefused(Happening(method, []), source, error, of: session)
    }

    func keepRefused(
        _ event: Happening, _ source: Source, _ error: RequestError, of session: Session
    ) {
        let refused = RefusedEvent(
            event, source, error, of: session, number: refusals.end, at: moment)
        recordRefusal(event, source, error, of: session)
        refused.mark = session.written.mark.position
        session.lastRefusal = refusals.end
        refusals.append(refused)
        tell(.refusals, of: session) { Notice("refused") { $0.refused(refused) } }
    }
}
