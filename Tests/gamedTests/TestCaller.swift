import Access
import GameFlow
import RPC
import Sessions

@testable import GamedServer

/// A caller with an identity and rights, which records its notifications.
final class TestCaller: Caller {
    let identity: Identity
    let rights: Rights
    let outbox = ReplyBuffer()
    private(set) var notifications: [String] = []

    init(_ identity: Identity, _ rights: Rights) {
        (self.identity, self.rights) = (identity, rights)
    }

    var source: Source { identity.source }
    func notify(_ notification: Notification) {
        notifications.append(
            String(
                decoding: Encoder().encode(notification, .full).params, as: UTF8.self))
    }
    func ended(_ session: SessionName) {}
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    func endWatch(_ target: WatchTarget) {}
    func watches(_ target: WatchTarget) -> Bool { false }

    /// Sends a line, and returns the replies.
    func ask(_ line: String, _ handler: ProtocolHandler) -> String {
        var buffer = LineBuffer()
        Array("\(line)\n".utf8).withUnsafeBytes { buffer.append($0) }
        while let line = buffer.next() { handler.answer(line, from: self) }
        return String(decoding: outbox.takeSendableBytes(), as: UTF8.self)
    }
}
