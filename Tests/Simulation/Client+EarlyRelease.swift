import GameFlow
import JSONCoding
import JournalTestSupport
import RPC
import Sessions

/// Encodes replies and notifications. With some injected faults they are released before their rows are durable.
extension Client.Connected {
    /// Encodes pending notifications, up to 64 KiB, into the outbox.
    func fill(_ fault: InjectedFault) {
        releaseEarly(if: fault == .notificationsBeforeCommit) {
            subscriber.fill(upTo: 65_536, for: rights)
        }
    }

    /// Answers a line, after the notifications that precede it.
    func answer(_ line: LineBuffer.Line, by handler: ProtocolHandler, _ fault: InjectedFault) {
        fill(fault)
        let start = outbox.writer.count
        releaseEarly(
            if: fault == .answersBeforeCommit
                || fault == .refusalsBeforeCommit && isRefusal(from: start)
        ) {
            handler.answer(line, from: self)
        }
    }

    /// Calls `work`, which writes output, and then evaluates `isEarly`. If `isEarly` is true, releases the output at once,
    /// except if earlier output waits in the outbox.
    private func releaseEarly(if isEarly: @autoclosure () -> Bool, _ work: () -> Void) {
        let isWaiting = outbox.isWaiting
        work()
        guard !isWaiting, isEarly() else { return }
        outbox.release(upTo: .max)
        // Later output waits for its rows again.
        subscriber.release()
    }

    /// Whether the output that begins at this offset of the outbox is an error.
    private func isRefusal(from start: Int) -> Bool {
        let reply = Array(outbox.writer.bytes[start...])
        return reply.starts(with: Array("ERR ".utf8)) || JournalReader.read(reply)["error"] != nil
    }
}
