package import GameFlow
package import RPC
package import Sessions

/// The daemon's end of a connection without a socket. Replies and notifications are in its mailbox.
package final class TestCaller: Caller {
    package let rights = Rights.everything
    package let source: Source
    package let mailbox: Subscriber
    package var outbox: ReplyBuffer { mailbox.outbox }

    package init(_ source: Source, _ sessions: Sessions) {
        self.source = source
        mailbox = Subscriber(sessions, Encoder())
    }

    package func watches(_ target: WatchTarget) -> Bool { mailbox.watched.contains(target) }
    package func notify(_ notice: Notification) { mailbox.add(notice, for: rights) }
    package func ended(_ session: SessionName) { endWatch(.session(session)) }
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        mailbox.beginWatch(target, missed, for: rights)
    }
    package func endWatch(_ target: WatchTarget) { mailbox.endWatch(target) }
}
