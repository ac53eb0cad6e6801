public import GameFlow
public import JSON
public import Timers

/// Many named machines behind one face: whoever has an event for one, an override, or a question.
///
/// It has no socket, no clock and no randomness of its own: the same calls at the same times give the
/// same changes, to the byte. Whoever calls settles the timeline first, for time comes before requests.
public final class Sessions {
    public let flows: [AnyFlow]
    public let limits: Limits
    public let timeline: any Timeline
    let agenda: Agenda
    /// One event at a time for all sessions together.
    let queue = EventQueue()
    var index = SessionIndex()
    private(set) var ring: ChangeRing
    private(set) var refusals: Ring<RefusedEvent>
    var receipts: Receipts
    var watchersOfAll = WatcherList()
    private var latest = Moment(.zero)
    /// The words of an operator whose `goto` is on its way.
    var reason: String?
    /// The id of the request that is on its way: what it leads to first is written down with it.
    var requestID: String?
    /// Is given each change as it happens, with the session after it, to write down.
    public var recorder: ((SessionRecord) -> Void)?

    public init(
        _ flows: [AnyFlow], on timeline: any Timeline, limits: Limits = Limits()
    ) {
        self.flows = flows
        self.timeline = timeline
        agenda = timeline.agenda
        self.limits = limits
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes)
        refusals = Ring(limit: limits.refusals, byteLimit: limits.refusalBytes)
        receipts = Receipts(limits)
    }

    /// The present instant of the sessions' clock.
    public var now: Instant { agenda.now }
    /// Whether the clock moves only by `advance`.
    public var isVirtual: Bool { timeline is VirtualTime }
    public var count: Int { index.count }
    /// The position of the newest change; 0 before the first.
    public var pos: Int { ring.end - 1 }
    var nextPos: Int { ring.end }

    /// The present instant, as changes carry it.
    var moment: Moment {
        if latest.instant.milliseconds != now.milliseconds { latest = Moment(now) }
        return latest
    }

    // MARK: finding

    /// The session of that name.
    public func session(_ name: SessionName) throws(RequestError) -> Session {
        if let session = index[name] { return session }
        throw .unknownSession(
            name.text, didYouMean: DidYouMean.suggest(name.text, index.neighbours(of: name.text)))
    }

    /// The flow of that name.
    public func flow(_ name: String) throws(RequestError) -> AnyFlow {
        if let flow = flows.first(where: { $0.name == name }) { return flow }
        throw .unknownFlow(name, didYouMean: DidYouMean.suggest(name, flows.map(\.name)))
    }

    /// Up to `limit` sessions after a name, by name, and whether there are more.
    public func list(flow: AnyFlow? = nil, after: SessionName? = nil, limit: Int)
        -> (sessions: [Session], more: Bool)
    {
        let page = index.page(after: after, limit: limit + 1) { flow == nil || $0.flow === flow }
        return (Array(page.prefix(limit)), page.count > limit)
    }

    // MARK: opening and closing

    /// Opens a session, in its flow's initial state unless told otherwise.
    public func open(
        _ name: SessionName, _ flow: AnyFlow, state: String? = nil, data: [Member] = [],
        from source: Source
    ) throws(RequestError) -> Session {
        guard index[name] == nil else { throw .exists(name.text) }
        guard count < limits.sessions else {
            throw .limit(which: "sessions", limit: limits.sessions)
        }
        if let state, flow.finals.contains(state) {
            throw .invalid(
                .state(state), argument: "state", why: "no session begins in a final state")
        }
        let session = Session(name, flow, in: self)
        index.insert(session)
        do throws(Refusal) {
            try session.machine.open(state, data, from: source)
        } catch {
            index.remove(session)
            throw explain(error, state: state ?? flow.initial, flow)
        }
        return session
    }

    /// Ends a session: its timers, the watches on it by name, and the memory of its ids.
    public func close(_ session: Session, from source: Source) {
        index.remove(session)
        receipts.forgetAll(of: session.name)
        session.note(Step(.close, from: source, session.machine.place, nil))
        session.machine.end()
        let watchers = session.watchers
        watchers.end(session.name)
    }

    // MARK: changes, kept and told

    /// An id belongs to the first change that its request leads to.
    private func record(of change: Change, _ session: Session) -> SessionRecord {
        let id = exchange(&requestID, with: nil)
        let body = JSONWriter.bytes { $0.record(change, of: session, id: id) }
        return SessionRecord(session: session.name, seq: change.seq, at: change.at, body: body)
    }

    func startRing(at pos: Int) {
        ring = ChangeRing(limit: limits.ring, byteLimit: limits.ringBytes, startingAt: pos)
    }

    func keep(_ change: Change, of session: Session) {
        ring.append(change)
        if let recorder { recorder(record(of: change, session)) }
        tell(.changes, of: session) { Notice(change) }
    }

    /// Tells who watches the session or all; the notice is made only if somebody does.
    func tell(_ topic: Topics, of session: Session, _ make: () -> Notice) {
        guard session.watchers.want(topic) || watchersOfAll.want(topic) else { return }
        let notice = make()
        // Copies: whoever is told may end its watch.
        let (some, all) = (session.watchers, watchersOfAll)
        some.tell(notice, topic)
        all.tell(notice, topic)
    }

    func keepRefused(
        _ event: Happening, _ source: Source, _ error: RequestError, of session: Session
    ) {
        let refused = RefusedEvent(
            event, source, error, of: session, number: refusals.end, at: moment)
        session.lastRefusal = refusals.end
        refusals.append(refused)
        tell(.refusals, of: session) { Notice("refused") { $0.refused(refused) } }
    }
}
