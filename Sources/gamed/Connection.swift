import GameFlow
import Glibc
import JSON
import Sessions
import Timers
import Wire

/// One client: its lines in, its answers and notifications out. It is never waited for.
final class Connection: Peer {
    let source: Source
    let descriptor: Int32
    unowned let server: Server
    let limits: ServerLimits
    private var readable: Descriptor!
    private var writable: Descriptor!
    private var input = LineBuffer()
    let mailbox: Mailbox
    /// Whether the server writes its notifications before the loop sleeps.
    var isToFlush = false
    /// Whether the server lets it go on when the disk has caught up.
    var isToRelease = false
    var heartbeat: HeldCountdown?
    var grace: HeldCountdown?
    private(set) var phase = Phase.open

    enum Phase {
        case open
        /// The client sends no more; what it sent is still being answered.
        case ended
        /// Nothing more is answered; what is written still goes out.
        case closing
        case closed
    }

    init(_ descriptor: Int32, _ source: Source, of server: Server) throws(EventLoopError) {
        (self.descriptor, self.source, self.server) = (descriptor, source, server)
        limits = server.limits
        mailbox = Mailbox(server.sessions)
        readable = try Descriptor(descriptor, .readable, on: server.loop) { [unowned self] in
            turn()
        }
        writable = try Descriptor(descriptor, .writable, on: server.loop, isAwake: false) {
            [unowned self] in flush()
        }
    }

    var outbox: Outbox { mailbox.outbox }
    private var unsent: Int { outbox.unsent }

    // MARK: in

    /// A turn of the loop for this client: answers what is waiting, else takes in more.
    private func turn() {
        if !input.hasLine, phase == .open { read() }
        guard phase != .closed else { return }
        // Time comes before requests, on the sessions' clock as well.
        server.loop.settle()
        answer()
        flush()
    }

    private func read() {
        let count = server.scratch.withUnsafeMutableBytes { room in
            Glibc.read(descriptor, room.baseAddress, room.count)
        }
        switch count {
        case 1...: server.scratch.withUnsafeBytes { input.append(.init(rebasing: $0[..<count])) }
        case 0: phase = .ended
        default:
            if errno != EAGAIN, errno != EINTR { close() }
        }
    }

    /// Answers the lines that are there, as many as a turn holds, while the client reads its answers.
    private func answer() {
        var lines = 0
        let conversation = server.conversation
        while phase == .open || phase == .ended, unsent <= limits.outputHigh, !server.isFull,
            !outbox.isAsking
        {
            guard lines < limits.linesPerTurn, lines & 15 != 15 || !isTurnOver else {
                return readable.callAgain()
            }
            guard let line = input.next() else { return answerEnd() }
            mailbox.fill(upTo: limits.noticeBytes)
            conversation.answer(line, from: self)
            lines += 1
        }
    }

    /// Whether this turn of the loop has taken so long that the others should have theirs.
    private var isTurnOver: Bool { server.loop.sinceSettled > limits.turnTime }

    /// All that came is answered; after the end of input this was all there will be.
    private func answerEnd() {
        guard phase == .ended else { return }
        server.conversation.answerUnfinished(input.remainder, to: outbox)
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
            mailbox.fill(upTo: limits.noticeBytes)
            guard outbox.sendable > 0, written < limits.writeBytesPerTurn else { break }
            let count = outbox.send { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                if errno == EINTR { continue }
                if errno == EAGAIN { break }
                return close()
            }
            written += count
            if unsent == 0 { outbox.recycle() }
        }
        if written > 0 { heartbeat?.restart() }
        outbox.recycle(above: limits.outputHigh)
        if isDeaf(written) { overrun() }
        afterFlush()
    }

    /// Whether too much waits for a client that takes nothing. What one turn brings at once may be more
    /// than fits, and one that reads is not to blame for that; but there is an end to it, too.
    private func isDeaf(_ written: Int) -> Bool {
        guard phase == .open || phase == .ended, !mailbox.waitsForDisk else { return false }
        return mailbox.backlog > limits.burstBytes
            || mailbox.backlog > limits.backlogBytes && written == 0
    }

    /// Waits for what comes next: room to write, more to read, or nothing any more.
    private func afterFlush() {
        guard phase != .closed else { return }
        if outbox.sendable > 0 { writable.wake() } else { writable.sleep() }
        if phase == .closing, unsent == 0 { return close() }
        if waitsForDisk { server.releaseLater(self) }
        if server.isFull || outbox.isAsking { return readable.sleep() }
        let reads = phase == .open && unsent <= limits.outputHigh
        if reads { readable.wake() } else { readable.sleep() }
        // Lines that waited for the client to read its answers have their turn again.
        if phase == .ended || (reads && input.hasLine), unsent <= limits.outputHigh {
            readable.callAgain()
        }
    }

    /// Whether something here goes on only when more is on the disk.
    private var waitsForDisk: Bool {
        server.isFull || outbox.isWaiting || !mailbox.isEmpty
    }

    /// Ends the connection at once: whoever still holds on to it, the client sees its end.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        unwatchAll()
        (heartbeat, grace) = (nil, nil)
        closeDescriptor()
        server.forget(self)
    }

    private func closeDescriptor() {
        (readable, writable) = (nil, nil)
        Glibc.close(descriptor)
    }

    deinit { if phase != .closed { closeDescriptor() } }
}
