import GameFlow
import JSON
import Sessions
import Timers
import Wire

/// What a client that watches is told, and what becomes of one that does not listen.
extension Connection {
    func notify(_ notice: Notice) {
        guard phase == .open || phase == .ended else { return }
        mailbox.put(notice)
        exchange.flushLater(self)
    }

    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        mailbox.follow(target, missed)
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

    /// A sign of life on the real clock, so that silence means that nothing happened.
    private func beginHeartbeat() {
        heartbeat = ScopedCountdown(on: exchange.loop, limits.heartbeat) { [unowned self] in
            notify(
                Notice("heartbeat", mark: exchange.sessions.newestRow) {
                    $0.beginObject()
                    $0.name("pos")
                    $0.int(exchange.sessions.pos)
                    $0.time(exchange.sessions.now)
                    $0.endObject()
                })
            heartbeat?.restart()
        }
    }

    /// The backlog goes, the client is told how much that was, and nobody waits for it for ever.
    func overrun() {
        dropBacklog()
        grace = ScopedCountdown(on: exchange.loop, limits.overrunGrace) { [unowned self] in close()
        }
        end()
        exchange.flushLater(self)
    }
}
