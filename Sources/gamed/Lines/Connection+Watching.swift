import GameFlow
import JSON
import RPC
import Sessions
import Timers

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
