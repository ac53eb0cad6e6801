internal import GameFlow
internal import Timers

/// Decoding sessions after a restart, when they are needed.
extension Sessions {
    /// The number of sessions that were restored and are not decoded yet.
    public var unreadCount: Int { unread?.count ?? 0 }

    /// The open session with this name, which is decoded now if necessary; nil if there is none.
    func openSession(_ name: SessionName) -> Session? {
        if let session = index[name] { return session }
        guard unread != nil else { return nil }
        decode(name)
        return index[name]
    }

    /// Decodes the session with this name, if it is not decoded yet. It is quarantined if it cannot be restored.
    func decode(_ name: SessionName) {
        guard let number = unread?.number(of: name) else { return }
        decode([number])
    }

    /// All sessions that are decoded, in the order of their names.
    package var decoded: [Session] { index.all }

    /// Ends the machines of all sessions. The sessions must not be used afterwards.
    package func endMachines() {
        unread = nil
        for session in index.all { session.machine.end() }
    }

    /// Decodes some of the sessions that are not decoded yet, at most `limit`. A part of the daemon calls it until none is left.
    public func decodeNext(_ limit: Int) {
        guard let unread else { return }
        decode(unread.next(limit))
    }

    /// Decodes all sessions.
    func decodeAll() {
        guard let unread else { return }
        decode(unread.all)
    }

    /// Decodes sessions, and sets their timers. A session that cannot be restored is quarantined.
    func decode(_ numbers: [Int]) {
        guard let unread else { return }
        var restored = RestoredSessions(
            .unread(restartedAt: unread.restartedAt), unread.starts, capacity: numbers.count)
        for number in numbers where unread.remove(number) {
            do throws(QuarantineError) {
                let name = unread.rows.name(of: number)
                let (record, checkpoint) = try unread.rows.take(number, name)
                try restored.restore(record, checkpoint, name, in: self)
            } catch {
                recording.quarantine[error.session] = error
                sessionWasQuarantined?(error)
            }
        }
        for session in restored.sessions {
            index.insert(session)
            // The requests with an id were forgotten: the session would have been decoded at the restart for one that is known.
            guard session.newestCheckpoint.requestIDCount > 0 else { continue }
            idempotencyCache.lose(session.name, upTo: unread.restartedAt)
        }
        RestoredTimer.set(restored.timers, on: timerQueue, queueIsEmpty: false)
        if unread.count == 0 { self.unread = nil }
    }
}
