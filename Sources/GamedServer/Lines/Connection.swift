import EventLoop
import GameFlow
import JSONCoding
import RPC
import Sessions
import Timers

/// A connection of one client that sends lines. It never blocks on the client.
final class Connection: Client {
    private(set) var identity: Identity
    private(set) var rights: Rights
    unowned let server: LineServer
    let context: ServerContext
    let channel: any Channel
    /// The requests that the client's account may still make.
    private var bucket: RateLimiter.TokenBucket
    private var input = LineBuffer()
    /// Whether the connection continues only in a later turn of the loop, because connections of its kind (`identity.kind`)
    /// have used up their time in this turn.
    private var isPostponed = false
    let subscriber: Subscriber
    /// Whether `flush` is called before the loop sleeps.
    var isFlushScheduled = false
    /// Whether `storageChanged` is called when more rows are durable.
    var isReleaseScheduled = false
    var routedClient: RoutedClient?
    /// The protocol between nodes, if the other end is a node or is proving that it is one; nil for a client.
    private var incomingLink: IncomingNodeLink?
    var heartbeat: ScopedCountdown?
    /// Closes the connection if no line arrives in time.
    private var idleTimer: ScopedCountdown?
    /// Closes the connection some time after `overrun`, if the client still does not read.
    var graceTimer: ScopedCountdown?
    private(set) var phase = Phase.open
    /// The limits that apply to the connection.
    private(set) var peerKind: PeerKind

    /// Which limits apply to a connection.
    enum PeerKind {
        case client
        /// The connection was made while a limit for clients was reached. It gets the error of the limit, unless it
        /// proves to be a node.
        case applicant(RequestError)
        case node
    }

    /// The connection of another node is closed if the node sends no line for this time. A node sends one at least every 5 s.
    static let nodeSilence = Duration.seconds(20)

    enum Phase {
        case open
        /// The client has ended its input; its last requests are still being answered.
        case ended
        /// No further request is answered; the remaining output is still sent.
        case closing
        case closed
    }

    init(
        _ channel: any Channel, _ identity: Identity, _ peerKind: PeerKind,
        of server: LineServer
    ) {
        (self.channel, self.identity, self.server) = (channel, identity, server)
        self.peerKind = peerKind
        context = server.context
        rights = context.authorizer.rights(of: identity)
        bucket = context.rateLimiter.bucket(of: identity.account, identity.kind)
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
        // Retains the connection during the call, because the server may release it there.
        channel.readable = { [unowned self] in withExtendedLifetime(self) { turn() } }
        channel.writable = { [unowned self] in withExtendedLifetime(self) { flush() } }
        switch peerKind {
        case .client: if identity.kind != .unix { startIdleTimer() }
        case .applicant(let refusal):
            // Time for the other end to prove that it is a node.
            idleTimer = ScopedCountdown(on: context.loop, limits.header) { [unowned self] in
                refuse(refusal)
                flush()
            }
        case .node: break
        }
    }

    var limits: ServerLimits { context.limits }
    var isGone: Bool { phase == .closed }
    /// The number of bytes of output that were not sent yet.
    private var unsent: Int { outbox.unsent }

    // MARK: input

    /// Handles a turn of the loop for this client: reads if no complete line is waiting, and answers the lines.
    private func turn() {
        // Timers that are due fire before the requests.
        context.loop.fireDueTimers()
        guard phase != .closed else { return }
        // Input has arrived while no request may be read. Only now does the channel stop listening: most clients send nothing
        // until they have their answer, and it takes system calls to stop listening and to start again.
        if mustWait { return channel.listen(false) }
        guard hasTimeThisTurn else { return }
        if !input.hasLine, phase == .open { read() }
        guard phase != .closed else { return }
        // A file belongs to the request that arrives with it, and is accepted only from a client
        // that may make such a request.
        if !rights.has(.operate) { _ = channel.takeFile() }
        answer()
        if !input.hasLine { _ = channel.takeFile() }
        flush()
        context.turns.charge(identity.kind)
    }

    /// Whether no further request is read for now: too many rows wait for the disk, or a result for this client is still being
    /// fetched.
    private var mustWait: Bool { context.isFull || outbox.isFetching }

    /// Whether connections of this kind have time left in this turn. If not, arranges that the connection
    /// continues in a later turn.
    private var hasTimeThisTurn: Bool {
        if isPostponed { return false }
        if context.turns.hasTime(identity.kind) { return true }
        isPostponed = true
        channel.listen(false)
        context.turns.later { [weak self] in
            guard let self else { return }
            isPostponed = false
            if phase != .closed { channel.callAgain() }
        }
        return false
    }

    private func read() {
        switch context.readBuffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
        case .bytes(let count):
            context.readBuffer.withUnsafeBytes { input.append(.init(rebasing: $0[..<count])) }
        case .end: phase = .ended
        case .later: break
        case .broken: close()
        }
    }

    /// Answers the lines that have arrived, up to the limit for a turn, while the client reads its
    /// answers.
    private func answer() {
        var lines = 0
        let (limits, protocolHandler) = (context.limits, context.protocolHandler)
        while phase == .open || phase == .ended, unsent <= limits.outputHigh, !mustWait {
            // The time is read only after every 16th line, because reading the clock for each line costs time.
            guard lines < limits.linesPerTurn, lines & 15 != 15 || !isTurnOver(limits) else {
                return channel.callAgain()
            }
            guard let line = input.next() else { return answerEnd() }
            subscriber.fill(upTo: limits.notificationBytes, for: rights)
            // A line between nodes begins with `NodeFrame.mark`, which is a byte that no client's request begins with.
            if case .line(let bytes) = line, bytes.first == NodeFrame.mark,
                let router = context.router
            {
                guard takeFrame(bytes, router) else { return close() }
            } else if case .applicant(let refusal) = peerKind {
                return refuse(refusal)
            } else {
                protocolHandler.answer(line, from: self)
            }
            // Only a complete line counts as activity, not single bytes.
            if lines == 0 { idleTimer?.restart() }
            lines += 1
        }
    }

    /// Processes a line of another node. Returns false if the connection must be closed.
    private func takeFrame(_ line: ArraySlice<UInt8>, _ router: ShardRouter) -> Bool {
        let incomingLink = incomingLink ?? IncomingNodeLink(self, router.nodeEnvironment)
        self.incomingLink = incomingLink
        return incomingLink.process(line)
    }

    /// Begins the protocol between nodes: the other end has proved by its certificate that it is a node.
    func accept(nodeOf router: ShardRouter) {
        let incomingLink = IncomingNodeLink(self, router.nodeEnvironment)
        self.incomingLink = incomingLink
        incomingLink.begin()
    }

    /// Applies the limits for nodes: the other end has proved that it is a node.
    func becomeNode() {
        input.limit = NodeFrame.limit
        close(after: Self.nodeSilence)
        let previousKind = exchange(&peerKind, with: .node)
        server.stopCounting(previousKind, identity)
    }

    /// Sends the error of the limit, and ends the connection.
    private func refuse(_ error: RequestError) {
        outbox.write(line: context.protocolHandler.refusal(error))
        end()
    }

    /// Closes the connection unless a line arrives within this time.
    private func close(after time: Duration) {
        idleTimer = ScopedCountdown(on: context.loop, time) { [unowned self] in close() }
    }

    /// Whether this turn of the loop has taken so long that other clients should continue.
    private func isTurnOver(_ limits: borrowing ServerLimits) -> Bool {
        context.loop.lag > limits.turnTime
    }

    /// If the client has ended its input: answers an unfinished last line with an error, and ends the connection. Call it when
    /// all complete lines that have arrived are answered.
    private func answerEnd() {
        guard phase == .ended else { return }
        context.protocolHandler.answerUnfinished(input.remainder, to: outbox)
        end()
    }

    /// Stops reading; the connection closes after the remaining output was sent.
    func end() {
        guard phase == .open || phase == .ended else { return }
        phase = .closing
        unwatchAll()
    }

    // MARK: output

    /// Writes output, up to the limit for a turn and as much as the client accepts.
    func flush() {
        var written = 0
        while phase != .closed {
            // Moves waiting notifications to the outbox.
            subscriber.fill(upTo: limits.notificationBytes, for: rights)
            guard outbox.sendable > 0, written < limits.writeBytesPerTurn else { break }
            var transfer = Transfer.later
            let count = outbox.send {
                transfer = channel.write($0)
                guard case .bytes(let count) = transfer else { return -1 }
                return count
            }
            if transfer == .later { break }
            guard count >= 0 else { return close() }
            written += count
            if unsent == 0 { outbox.recycle() }
        }
        if written > 0 { heartbeat?.restart() }
        outbox.recycle(above: limits.outputHigh)
        let isAnswering = phase == .open || phase == .ended
        if isAnswering, subscriber.hasOverrun(limits, isReading: written > 0) { overrun() }
        afterFlush()
    }

    /// Sets what the connection waits for: that the client accepts output, that it sends input, both, or neither.
    private func afterFlush() {
        guard phase != .closed else { return }
        channel.waitForSpace(outbox.sendable > 0)
        if phase == .closing, unsent == 0 { return close() }
        if waitsForDisk { context.releaseLater(self) }
        if isPostponed { return channel.listen(false) }
        if mustWait { return }
        let mayRead = phase == .open && unsent <= limits.outputHigh
        channel.listen(mayRead)
        // Lines that waited for the client to read its answers are handled now.
        if phase == .ended || (mayRead && input.hasLine), unsent <= limits.outputHigh {
            channel.callAgain()
        }
    }

    /// Whether the connection continues only when more rows are durable.
    private var waitsForDisk: Bool {
        context.isFull || outbox.isWaiting || !subscriber.isEmpty
    }

    /// Closes the connection immediately: the client sees its end even if the object is still
    /// retained.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        unwatchAll()
        routedClient?.end()
        incomingLink?.end()
        (heartbeat, graceTimer, idleTimer, routedClient, incomingLink) = (nil, nil, nil, nil, nil)
        channel.close()
        server.remove(self)
    }

    // MARK: rights

    /// Adds the rights of a token to the connection. Returns false if the token is not valid.
    func authenticate(_ token: String) -> Bool {
        guard let name = context.authorizer.name(of: token) else { return false }
        identity.addToken(named: name)
        bucket = context.rateLimiter.bucket(of: identity.account, identity.kind)
        updateRights()
        return true
    }

    /// Determines the rights again. Ends the connection if it watches a session that it may no
    /// longer observe.
    func updateRights() {
        rights = context.authorizer.rights(of: identity)
        guard !subscriber.watched.allSatisfy(rights.mayWatch) else { return }
        end()
        context.flushLater(self)
    }

    func countRequest() -> RequestError? { context.rateLimiter.spend(from: bucket) }

    /// Closes a network connection on which the client neither sends a line nor watches a session
    /// for the idle time.
    private func startIdleTimer() {
        idleTimer = ScopedCountdown(on: context.loop, limits.idle) { [unowned self] in
            if subscriber.watched.isEmpty { return close() }
            idleTimer?.restart()
        }
    }
}

/// Notifications for a client that watches, and the limits for one that does not read them.
extension Connection {
    func notify(_ notification: Notification) {
        guard phase == .open || phase == .ended else { return }
        subscriber.add(notification, for: rights)
        context.flushLater(self)
    }

    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
        if heartbeat == nil { startHeartbeat() }
    }

    /// Called when a session that is watched by its name was closed.
    func ended(_ session: SessionName) { endWatch(.session(session)) }

    func endWatch(_ target: WatchTarget) {
        subscriber.endWatch(target)
        if subscriber.watched.isEmpty { heartbeat = nil }
    }

    func unwatchAll() {
        subscriber.unwatchAll(self)
        heartbeat = nil
    }

    /// Sends heartbeats by the real clock while nothing else is written, so that the client can tell an idle daemon from a lost
    /// connection.
    private func startHeartbeat() {
        heartbeat = ScopedCountdown(on: context.loop, limits.heartbeat) { [unowned self] in
            sendHeartbeat()
            heartbeat?.restart()
        }
    }

    private func sendHeartbeat() {
        guard phase == .open || phase == .ended else { return }
        let sessions = context.sessions
        subscriber.add(
            EncodedNotification("heartbeat", row: sessions.newestRow) {
                $0.beginObject()
                $0.name("pos")
                $0.int(sessions.pos)
                $0.time(sessions.now)
                $0.endObject()
            })
        context.flushLater(self)
    }

    /// Drops the backlog, sends a message that says how much was dropped, and ends the connection. The connection closes when
    /// the client has read that message, at the latest after the limit `overrunGrace`.
    func overrun() {
        dropBacklog()
        graceTimer = ScopedCountdown(on: context.loop, limits.overrunGrace) { [unowned self] in
            close()
        }
        end()
        context.flushLater(self)
    }
}

/// Deferred results, and files that the client has passed.
extension Connection {
    /// Delivers a result that was fetched for the request with the number `ticket`.
    func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        guard phase != .closed else { return }
        outbox.deliver(ticket, answer)
        context.flushLater(self)
    }

    func takeFile() -> PassedFile? { channel.takeFile() }
}
