internal import Access
internal import EventLoop
internal import GameFlow
internal import JSON
internal import RPC
internal import Sessions
internal import Timers

/// A connection of one client that sends lines. It never blocks on the client.
final class Connection: Client {
    private(set) var visitor: Identity
    private(set) var rights: Rights
    unowned let server: Server
    let exchange: ServerContext
    let channel: any Channel
    private var bucket: RateLimiter.TokenBucket
    private var input = LineBuffer()
    /// Whether it waits for its share of a later turn of the loop.
    private var isLeftOver = false
    let mailbox: Subscriber
    /// Whether the server will write its notifications before the loop sleeps.
    var isToFlush = false
    /// Whether the server will continue it when more rows are durable.
    var isToRelease = false
    var heartbeat: ScopedCountdown?
    private var idle: ScopedCountdown?
    var grace: ScopedCountdown?
    private(set) var phase = Phase.open

    enum Phase {
        case open
        /// The client has ended its input; what it sent is still being answered.
        case ended
        /// No further request is answered; the remaining output is still sent.
        case closing
        case closed
    }

    init(_ channel: any Channel, _ visitor: Identity, of server: Server) {
        (self.channel, self.visitor, self.server) = (channel, visitor, server)
        exchange = server.exchange
        rights = exchange.gatekeeper.rights(of: visitor)
        bucket = exchange.meter.bucket(of: visitor.account, visitor.kind)
        mailbox = Subscriber(exchange.sessions, exchange.conversation.encoder)
        // Retains the connection during the call, in which its owner may release it.
        channel.readable = { [unowned self] in withExtendedLifetime(self) { turn() } }
        channel.writable = { [unowned self] in withExtendedLifetime(self) { flush() } }
        if visitor.kind != .unix { beginIdle() }
    }

    var limits: ServerLimits { exchange.limits }
    var isGone: Bool { phase == .closed }
    private var unsent: Int { outbox.unsent }

    // MARK: input

    /// Handles a turn of the loop for this client: answers lines that are waiting, or reads more.
    private func turn() {
        // The clock is settled first, so that timers that are due fire before the requests.
        exchange.loop.settle()
        guard phase != .closed, mayGoOn else { return }
        if !input.hasLine, phase == .open { read() }
        guard phase != .closed else { return }
        // A file belongs to the request that arrives with it, and is accepted only from a client
        // that may make such a request.
        if !rights.has(.operate) { _ = channel.takeFile() }
        answer()
        if !input.hasLine { _ = channel.takeFile() }
        flush()
        exchange.turns.spent(visitor.kind)
    }

    /// Whether clients of this kind have time left in this turn. If not, the connection continues
    /// in a later turn.
    private var mayGoOn: Bool {
        if isLeftOver { return false }
        if exchange.turns.hasTime(visitor.kind) { return true }
        isLeftOver = true
        channel.listen(false)
        exchange.turns.later { [weak self] in
            guard let self else { return }
            isLeftOver = false
            if phase != .closed { channel.callAgain() }
        }
        return false
    }

    private func read() {
        switch exchange.scratch.withUnsafeMutableBytes({ channel.read(into: $0) }) {
        case .bytes(let count):
            exchange.scratch.withUnsafeBytes { input.append(.init(rebasing: $0[..<count])) }
        case .end: phase = .ended
        case .later: break
        case .broken: close()
        }
    }

    /// Answers the lines that have arrived, up to the limit for a turn, while the client reads its
    /// answers.
    private func answer() {
        var lines = 0
        let conversation = exchange.conversation
        while phase == .open || phase == .ended, unsent <= limits.outputHigh, !exchange.isFull,
            !outbox.isAsking
        {
            guard lines < limits.linesPerTurn, lines & 15 != 15 || !isTurnOver else {
                return channel.callAgain()
            }
            guard let line = input.next() else { return answerEnd() }
            mailbox.fill(upTo: limits.noticeBytes, for: rights)
            conversation.answer(line, from: self)
            // Only a complete line counts as activity, not single bytes.
            if lines == 0 { idle?.restart() }
            lines += 1
        }
    }

    /// Whether this turn of the loop has taken so long that other clients should continue.
    private var isTurnOver: Bool { exchange.loop.sinceSettled > limits.turnTime }

    /// All input was answered; at the end of input nothing more will arrive.
    private func answerEnd() {
        guard phase == .ended else { return }
        exchange.conversation.answerUnfinished(input.remainder, to: outbox)
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
            mailbox.fill(upTo: limits.noticeBytes, for: rights)
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
        if isListening, mailbox.hasOverrun(limits, takes: written > 0) { overrun() }
        afterFlush()
    }

    /// Waits for the next event: that the client accepts output, or sends input, or neither.
    private func afterFlush() {
        guard phase != .closed else { return }
        channel.waitForRoom(outbox.sendable > 0)
        if phase == .closing, unsent == 0 { return close() }
        if waitsForDisk { exchange.releaseLater(self) }
        if exchange.isFull || outbox.isAsking || isLeftOver { return channel.listen(false) }
        let reads = phase == .open && unsent <= limits.outputHigh
        channel.listen(reads)
        // Lines that waited for the client to read its answers are handled now.
        if phase == .ended || (reads && input.hasLine), unsent <= limits.outputHigh {
            channel.callAgain()
        }
    }

    /// Whether the connection continues only when more rows are durable.
    private var waitsForDisk: Bool {
        exchange.isFull || outbox.isWaiting || !mailbox.isEmpty
    }

    /// Closes the connection immediately: the client sees its end even if the object is still
    /// retained.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        unwatchAll()
        (heartbeat, grace, idle) = (nil, nil, nil)
        channel.close()
        server.forget(self)
    }

    // MARK: rights

    func authenticate(_ token: String) -> Bool {
        guard let name = exchange.gatekeeper.name(of: token) else { return false }
        visitor.show(token: name)
        bucket = exchange.meter.bucket(of: visitor.account, visitor.kind)
        review()
        return true
    }

    /// Determines the rights again. Ends the connection if it watches a session that it may no
    /// longer observe.
    func review() {
        rights = exchange.gatekeeper.rights(of: visitor)
        guard !mailbox.watched.allSatisfy(rights.mayWatch) else { return }
        end()
        exchange.flushLater(self)
    }

    func overdraws() -> RequestError? { exchange.meter.spend(from: bucket, visitor.kind) }

    /// Closes a network connection on which the client neither sends a line nor watches a session
    /// for the idle time.
    private func beginIdle() {
        idle = ScopedCountdown(on: exchange.loop, limits.idle) { [unowned self] in
            if mailbox.watched.isEmpty { return close() }
            idle?.restart()
        }
    }
}

/// Notifications for a client that watches, and the limits for one that does not read them.
extension Connection {
    func notify(_ notice: Notification) {
        guard phase == .open || phase == .ended else { return }
        mailbox.put(notice, for: rights)
        exchange.flushLater(self)
    }

    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        mailbox.follow(target, missed, for: rights)
        if heartbeat == nil { beginHeartbeat() }
    }

    func ended(_ session: SessionName) { unfollow(.session(session)) }

    func unfollow(_ target: WatchTarget) {
        mailbox.unfollow(target)
        if mailbox.watched.isEmpty { heartbeat = nil }
    }

    func unwatchAll() {
        mailbox.unwatchAll(self)
        heartbeat = nil
    }

    /// Sends a heartbeat on the real clock, so that the client can tell an idle daemon from a lost
    /// connection.
    private func beginHeartbeat() {
        heartbeat = ScopedCountdown(on: exchange.loop, limits.heartbeat) { [unowned self] in
            beat()
            heartbeat?.restart()
        }
    }

    private func beat() {
        guard phase == .open || phase == .ended else { return }
        let sessions = exchange.sessions
        mailbox.put(
            EncodedNotification("heartbeat", row: sessions.newestRow) {
                $0.beginObject()
                $0.name("pos")
                $0.int(sessions.pos)
                $0.time(sessions.now)
                $0.endObject()
            })
        exchange.flushLater(self)
    }

    /// Drops the backlog, tells the client how much was dropped, and closes the connection if the
    /// client does not read the rest within the limit.
    func overrun() {
        dropBacklog()
        grace = ScopedCountdown(on: exchange.loop, limits.overrunGrace) { [unowned self] in close()
        }
        end()
        exchange.flushLater(self)
    }
}

/// Deferred results, and files that the client has passed.
extension Connection {
    func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard phase != .closed else { return }
        outbox.fulfil(ticket, answer)
        exchange.flushLater(self)
    }

    func takeFile() -> PassedFile? { channel.takeFile() }
}
