package import GameFlow
package import RPC
package import Sessions

/// The daemon's end of a connection without a socket. `outbox` holds the replies and notifications.
package final class TestCaller: Caller {
    package let rights = Rights.everything
    package let source: Source
    package let subscriber: Subscriber
    package var outbox: ReplyBuffer { subscriber.outbox }

    package init(_ source: Source, _ sessions: Sessions) {
        self.source = source
        subscriber = Subscriber(sessions, Encoder())
    }

    package func watches(_ target: WatchTarget) -> Bool { subscriber.watched.contains(target) }
    package func notify(_ notice: Notification) { subscriber.add(notice, for: rights) }
    package func ended(_ session: SessionName) { endWatch(.session(session)) }
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
    }
    package func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }
}
