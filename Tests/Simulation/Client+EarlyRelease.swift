import GameFlow
import JSONCoding
import JournalTestSupport
import RPC
import Sessions

/// What a connection puts into its outbox, and faults of who lets it out before it is on the disk.
extension Client.Connected {
    /// Turns what has happened into bytes.
    func fill(_ fault: InjectedFault) {
        releasing(fault == .noticesAtOnce) { mailbox.fill(upTo: 65_536, for: rights) }
    }

    /// Answers a line behind what has happened before it.
    func answer(_ line: LineBuffer.Line, by conversation: ProtocolHandler, _ fault: InjectedFault) {
        fill(fault)
        let start = outbox.writer.count
        releasing(fault == .answersAtOnce || fault == .refusalsAtOnce && isRefusal(from: start)) {
            conversation.answer(line, from: self)
        }
    }

    /// Does something, and lets out at once what it has put into the outbox, unless something else waits there.
    private func releasing(_ isEarly: @autoclosure () -> Bool, _ work: () -> Void) {
        let isWaiting = outbox.isWaiting
        work()
        guard !isWaiting, isEarly() else { return }
        outbox.release(upTo: .max)
        // From now on it is the disk again that is waited for.
        mailbox.release()
    }

    private func isRefusal(from start: Int) -> Bool {
        let reply = Array(outbox.writer.bytes[start...])
        return reply.starts(with: Array("ERR ".utf8)) || JournalReader.read(reply)["error"] != nil
    }
}
