import GameFlow
import RPC
import Sessions

/// A client without a connection; its replies are dropped.
final class LocalCaller: Caller {
    let rights = Rights.everything
    let outbox = ReplyBuffer()
    let source: Source

    init(number: Int = 0) {
        source = Source(.unix, peer: .process(pid: Int32(12_345 + number), uid: 1000, gid: 1000))
    }

    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    func endWatch(_ target: WatchTarget) {}
    func watches(_ target: WatchTarget) -> Bool { false }
    func notify(_ notification: Notification) {}
    func ended(_ session: SessionName) {}
}
