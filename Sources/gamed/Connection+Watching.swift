import GameFlow
import JSON
import Sessions
import Timers

/// What a client that watches is told, and what becomes of one that does not listen.
extension Connection {
    func notify(_ notice: Notice) {
        // Told twice in a row, it watches the session by name and with all others.
        guard phase == .open || phase == .ended, notice !== lastNotice else { return }
        lastNotice = notice
        notices.append(notice)
        server.flushLater(self)
    }

    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        watched.insert(target)
        switch missed {
        case .nothing: break
        case .changes(let replay): notices.append(replay)
        case .gap(let notice): notices.append(notice)
        }
        if heartbeat == nil { beginHeartbeat() }
    }

    func ended(_ session: SessionName) { unfollow(.session(session)) }

    func unfollow(_ target: WatchTarget) {
        watched.remove(target)
        notices.drop(target)
        if watched.isEmpty { heartbeat = nil }
    }

    func unwatchAll() {
        for target in watched { try? server.sessions.unwatch(target, by: self) }
        watched = []
        heartbeat = nil
    }

    /// A sign of life on the real clock, so that silence means that nothing happened.
    private func beginHeartbeat() {
        heartbeat = HeldCountdown(on: server.loop, limits.heartbeat) { [unowned self] in
            notify(
                Notice("heartbeat", mark: server.sessions.newestRow) {
                    $0.beginObject()
                    $0.name("pos")
                    $0.int(server.sessions.pos)
                    $0.time(server.sessions.now)
                    $0.endObject()
                })
            heartbeat?.restart()
        }
    }

    /// The backlog goes, the client is told how much that was, and nobody waits for it for ever.
    func overrun() {
        let dropped = notices.count
        notices.removeAll()
        notices.append(
            Notice("overrun") {
                $0.beginObject()
                $0.name("dropped")
                $0.int(dropped)
                $0.endObject()
            })
        Log.write(.warning, "\(described): does not read; \(dropped) notifications dropped")
        grace = HeldCountdown(on: server.loop, limits.overrunGrace) { [unowned self] in close() }
        end()
        server.flushLater(self)
    }

    /// Who this is, for the log.
    var described: String {
        guard case .process(let pid, let uid, _) = source.peer else { return "a client" }
        return "pid \(pid) (uid \(uid))"
    }
}
