import Access
internal import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// One client: its lines in, its answers and notifications out. It is never waited for.
final class Connection: Client {
    private(set) var visitor: Identity
    private(set) var rights: Rights
    unowned let server: Server
    let exchange: ServerContext
    let channel: any Channel
    private var bucket: RateLimiter.TokenBucket
    private var input = LineBuffer()
    /// Whether it waits for another turn of the loop.
    private var isLeftOver = false
    let mailbox: Subscriber
    /// Whether the server writes its notifications before the loop sleeps.
    var isToFlush = false
    /// Whether the server lets it go on when the disk has caught up.
    var isToRelease = false
    var heartbeat: ScopedCountdown?
    private var idle: ScopedCountdown?
    var grace: ScopedCountdown?
    private(set) var phase = Phase.open

    enum Phase {
        case open
        /// The client sends no more; what it sent is still being answered.
        case ended
        /// Nothing more is answered; what is written still goes out.
        case closing
        case closed
    }

    init(_ channel: any Channel, _ visitor: Identity, of server: Server) {
        (self.channel, self.visitor, self.server) = (channel, visitor, server)
        exchange = server.exchange
        rights = exchange.gatekeeper.rights(of: visitor)
        bucket = exchange.meter.bucket(of: visitor.account, visitor.kind)
        mailbox = Subscriber(exchange.sessions, exchange.conversation.encoder)
        // Held for the length of the call, in which the connection may be let go of.
        channel.readable = { [unowned self] in withExtendedLifetime(self) { turn() } }
        channel.writable = { [unowned self] in withExtendedLifetime(self) { flush() } }
        if visitor.kind != .unix { beginIdle() }
    }

    var limits: ServerLimits { exchange.limits }
    var isGone: Bool { phase == .closed }
    private var unsent: Int { outbox.unsent }

    // MARK: in

    /// A turn of the loop for this client: answers what is waiting, else takes in more.
    private func turn() {
        // Time comes before requests, on the sessions' clock as well.
        exchange.loop.settle()
        guard phase != .closed, mayGoOn else { return }
        if !input.hasLine, phase == .open { read() }
        guard phase != .closed else { return }
        // A file is for a request that comes with it, of a client that may ask for one.
        if !rights.has(.operate) { _ = channel.takeFile() }
        answer()
        if !input.hasLine { _ = channel.takeFile() }
        flush()
        exchange.turns.spent(visitor.kind)
    }

    /// Whether those who came this way have some of the loop's turn left; else it is this one's turn later.
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

    /// Answers the lines that are there, as many as a turn holds, while the client reads its answers.
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
            // A byte now and then says nothing: a line does.
            if lines == 0 { idle?.restart() }
            lines += 1
        }
    }

    /// Whether this turn of the loop has taken so long that the others should have theirs.
    private var isTurnOver: Bool { exchange.loop.sinceSettled > limits.turnTime }

    /// All that came is answered; after the end of input this was all there will be.
    private func answerEnd() {
        guard phase == .ended else { return }
        exchange.conversation.answerUnfinished(input.remainder, to: outbox)
        end()
    }

    /// Nothing more is taken in: what is written goes out, and then the connection ends.
    func end() {
        guard phase == .open || phase == .ended else { return }
        phase = .closing
        unwatchAll()
    }

    // MARK: out

    /// Writes what there is to write, as much as a turn holds and the client takes.
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
        if isListening, mailbox.isDeaf(limits, takes: written > 0) { overrun() }
        afterFlush()
    }

    /// Waits for what comes next: room to write, more to read, or nothing any more.
    private func afterFlush() {
        guard phase != .closed else { return }
        channel.waitForRoom(outbox.sendable > 0)
        if phase == .closing, unsent == 0 { return close() }
        if waitsForDisk { exchange.releaseLater(self) }
        if exchange.isFull || outbox.isAsking || isLeftOver { return channel.listen(false) }
        let reads = phase == .open && unsent <= limits.outputHigh
        channel.listen(reads)
        // Lines that waited for the client to read its answers have their turn again.
        if phase == .ended || (reads && input.hasLine), unsent <= limits.outputHigh {
            channel.callAgain()
        }
    }

    /// Whether something here goes on only when more is on the disk.
    private var waitsForDisk: Bool {
        exchange.isFull || outbox.isWaiting || !mailbox.isEmpty
    }

    /// Ends the connection at once: whoever still holds on to it, the client sees its end.
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

    /// What it watches and may not observe any more it does not watch any more.
    func review() {
        rights = exchange.gatekeeper.rights(of: visitor)
        guard !mailbox.watched.allSatisfy(rights.mayWatch) else { return }
        end()
        exchange.flushLater(self)
    }

    func overdraws() -> RequestError? { exchange.meter.spend(from: bucket, visitor.kind) }

    /// Whoever comes over the network and neither says anything nor watches anything is not there.
    private func beginIdle() {
        idle = ScopedCountdown(on: exchange.loop, limits.idle) { [unowned self] in
            if mailbox.watched.isEmpty { return close() }
            idle?.restart()
        }
    }
}
