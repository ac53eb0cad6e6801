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
    private var bucket: RateLimiter.TokenBucket
    private var input = LineBuffer()
    /// Whether it waits for its share of a later turn of the loop.
    private var continuesLater = false
    let subscriber: Subscriber
    /// Whether the server will write its notifications before the loop sleeps.
    var isToFlush = false
    /// Whether the server will continue it when more rows are durable.
    var isToRelease = false
    var routes: RoutedClient?
    /// The clients of another node that uses this connection; nil for a client.
    private var guests: NodeGuests?
    var heartbeat: ScopedCountdown?
    private var idle: ScopedCountdown?
    var grace: ScopedCountdown?
    private(set) var phase = Phase.open
    /// How the limits count it.
    private(set) var standing: Standing

    /// How the limits count a connection.
    enum Standing {
        case client
        /// It came when a limit for clients was reached, with this error: it must prove to be a node.
        case applicant(RequestError)
        case node
    }

    /// After how long without a line the connection to another node is closed. A node sends one at least every 5 s.
    static let nodeSilence = Duration.seconds(20)

    enum Phase {
        case open
        /// The client has ended its input; what it sent is still being answered.
        case ended
        /// No further request is answered; the remaining output is still sent.
        case closing
        case closed
    }

    init(
        _ channel: any Channel, _ identity: Identity, _ standing: Standing,
        of server: LineServer
    ) {
        (self.channel, self.identity, self.server) = (channel, identity, server)
        self.standing = standing
        context = server.context
        rights = context.authorizer.rights(of: identity)
        bucket = context.rateLimiter.bucket(of: identity.account, identity.kind)
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
        // Retains the connection during the call, in which its owner may release it.
        channel.readable = { [unowned self] in withExtendedLifetime(self) { turn() } }
        channel.writable = { [unowned self] in withExtendedLifetime(self) { flush() } }
        switch standing {
        case .client: if identity.kind != .unix { beginIdle() }
        case .applicant(let refusal):
            idle = ScopedCountdown(on: context.loop, limits.header) { [unowned self] in
                refuse(refusal)
                flush()
            }
        case .node: break
        }
    }

    var limits: ServerLimits { context.limits }
    var isGone: Bool { phase == .closed }
    private var unsent: Int { outbox.unsent }

    // MARK: input

    /// Handles a turn of the loop for this client: answers lines that are waiting, or reads more.
    private func turn() {
        // The clock is settled first, so that timers that are due fire before the requests.
        context.loop.settle()
        guard phase != .closed else { return }
        // Only a client that sends meanwhile is not listened to: most wait for their answer, and listening again takes
        // system calls.
        if mustWait { return channel.listen(false) }
        guard mayResume else { return }
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

    /// Whether the present request has to be answered before the next one is read.
    private var mustWait: Bool { context.isFull || outbox.isAsking }

    /// Whether clients of this kind have time left in this turn. If not, the connection continues
    /// in a later turn.
    private var mayResume: Bool {
        if continuesLater { return false }
        if context.turns.hasTime(identity.kind) { return true }
        continuesLater = true
        channel.listen(false)
        context.turns.later { [weak self] in
            guard let self else { return }
            continuesLater = false
            if phase != .closed { channel.callAgain() }
        }
        return false
    }

    private func read() {
        switch context.scratch.withUnsafeMutableBytes({ channel.read(into: $0) }) {
        case .bytes(let count):
            context.scratch.withUnsafeBytes { input.append(.init(rebasing: $0[..<count])) }
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
            guard lines < limits.linesPerTurn, lines & 15 != 15 || !isTurnOver(limits) else {
                return channel.callAgain()
            }
            guard let line = input.next() else { return answerEnd() }
            subscriber.fill(upTo: limits.notificationBytes, for: rights)
            if case .line(let bytes) = line, bytes.first == NodeFrame.mark,
                let router = context.router
            {
                guard takeFrame(bytes, router) else { return close() }
            } else if case .applicant(let refusal) = standing {
                return refuse(refusal)
            } else {
                protocolHandler.answer(line, from: self)
            }
            // Only a complete line counts as activity, not single bytes.
            if lines == 0 { idle?.restart() }
            lines += 1
        }
    }

    /// Takes a line of another node. Returns false if the line is not one between nodes.
    private func takeFrame(_ line: ArraySlice<UInt8>, _ router: ShardRouter) -> Bool {
        let guests = guests ?? NodeGuests(self, router.nodeEnvironment)
        self.guests = guests
        return guests.take(line)
    }

    /// The other end has proved by its certificate that it is a node.
    func accept(nodeOf router: ShardRouter) {
        let guests = NodeGuests(self, router.nodeEnvironment)
        self.guests = guests
        guests.begin()
    }

    /// The other end has proved that it is a node.
    func becomeNode() {
        input.limit = NodeFrame.limit
        close(after: Self.nodeSilence)
        server.release(exchange(&standing, with: .node), identity)
    }

    /// Sends the error of the limit that was reached, and ends the connection.
    private func refuse(_ error: RequestError) {
        outbox.write(line: context.protocolHandler.refusal(error))
        end()
    }

    /// Closes the connection unless a line comes in this time.
    private func close(after time: Duration) {
        idle = ScopedCountdown(on: context.loop, time) { [unowned self] in close() }
    }

    /// Whether this turn of the loop has taken so long that other clients should continue.
    private func isTurnOver(_ limits: borrowing ServerLimits) -> Bool {
        context.loop.lag > limits.turnTime
    }

    /// All input was answered; at the end of input nothing more will arrive.
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
        let isListening = phase == .open || phase == .ended
        if isListening, subscriber.hasOverrun(limits, takes: written > 0) { overrun() }
        afterFlush()
    }

    /// Waits for the next event: that the client accepts output, or sends input, or neither.
    private func afterFlush() {
        guard phase != .closed else { return }
        channel.waitForSpace(outbox.sendable > 0)
        if phase == .closing, unsent == 0 { return close() }
        if waitsForDisk { context.releaseLater(self) }
        if continuesLater { return channel.listen(false) }
        if mustWait { return }
        let reads = phase == .open && unsent <= limits.outputHigh
        channel.listen(reads)
        // Lines that waited for the client to read its answers are handled now.
        if phase == .ended || (reads && input.hasLine), unsent <= limits.outputHigh {
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
        routes?.end()
        guests?.end()
        (heartbeat, grace, idle, routes, guests) = (nil, nil, nil, nil, nil)
        channel.close()
        server.forget(self)
    }

    // MARK: rights

    func authenticate(_ token: String) -> Bool {
        guard let name = context.authorizer.name(of: token) else { return false }
        identity.show(token: name)
        bucket = context.rateLimiter.bucket(of: identity.account, identity.kind)
        review()
        return true
    }

    /// Determines the rights again. Ends the connection if it watches a session that it may no
    /// longer observe.
    func review() {
        rights = context.authorizer.rights(of: identity)
        guard !subscriber.watched.allSatisfy(rights.mayWatch) else { return }
        end()
        context.flushLater(self)
    }

    func countRequest() -> RequestError? { context.rateLimiter.spend(from: bucket) }

    /// Closes a network connection on which the client neither sends a line nor watches a session
    /// for the idle time.
    private func beginIdle() {
        idle = ScopedCountdown(on: context.loop, limits.idle) { [unowned self] in
            if subscriber.watched.isEmpty { return close() }
            idle?.restart()
        }
    }
}

/// Notifications for a client that watches, and the limits for one that does not read them.
extension Connection {
    func notify(_ notification: Notification) {
        guard phase == .open || phase == .ended else { return }
        subscriber.put(notification, for: rights)
        context.flushLater(self)
    }

    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.follow(target, missed, for: rights)
        if heartbeat == nil { beginHeartbeat() }
    }

    func ended(_ session: SessionName) { unfollow(.session(session)) }

    func unfollow(_ target: WatchTarget) {
        subscriber.unfollow(target)
        if subscriber.watched.isEmpty { heartbeat = nil }
    }

    func unwatchAll() {
        subscriber.unwatchAll(self)
        heartbeat = nil
    }

    /// Sends a heartbeat on the real clock, so that the client can tell an idle daemon from a lost
    /// connection.
    private func beginHeartbeat() {
        heartbeat = ScopedCountdown(on: context.loop, limits.heartbeat) { [unowned self] in
            beat()
            heartbeat?.restart()
        }
    }

    private func beat() {
        guard phase == .open || phase == .ended else { return }
        let sessions = context.sessions
        subscriber.put(
            EncodedNotification("heartbeat", row: sessions.newestRow) {
                $0.beginObject()
                $0.name("pos")
                $0.int(sessions.pos)
                $0.time(sessions.now)
                $0.endObject()
            })
        context.flushLater(self)
    }

    /// Drops the backlog, tells the client how much was dropped, and closes the connection if the
    /// client does not read the rest within the limit.
    func overrun() {
        dropBacklog()
        grace = ScopedCountdown(on: context.loop, limits.overrunGrace) { [unowned self] in close()
        }
        end()
        context.flushLater(self)
    }
}

/// Deferred results, and files that the client has passed.
extension Connection {
    func deliver(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard phase != .closed else { return }
        outbox.deliver(ticket, answer)
        context.flushLater(self)
    }

    func takeFile() -> PassedFile? { channel.takeFile() }
}
