internal import GameFlow
internal import Timers

/// Taking back what could not be kept.
extension Sessions {
    /// Why nothing can be kept at present; nil while all is well.
    public var outage: String? { recording.outage }

    /// Everything that is not on the disk has not happened: state, data, timers, numbers and remembered ids
    /// are as they were. From now on nothing is taken, until the storage is back.
    public func storageFailed(_ why: String) {
        undo()
        recording.outage = why
    }

    /// What is sent is taken again.
    public func storageIsBack() { recording.outage = nil }

    /// Does what would change something. While the storage is out it is taken back at once: a refusal of
    /// the flow's is told as ever, and whatever would have been taken is refused for that.
    func durably<T>(_ work: () throws(RequestError) -> T) throws(RequestError) -> T {
        let before = recording.uncommitted.count
        let result = try work()
        guard let outage, recording.uncommitted.count > before else { return result }
        undo()
        throw .storage(why: outage, outcome: .undone)
    }

    private func undo() {
        var rows: [Uncommitted] = []
        while let row = recording.uncommitted.removeFirst() { rows.append(row) }
        for row in rows.reversed() {
            forgetAnswers(row)
            if let (name, why) = row.givenUp { recording.quarantine[name] = why }
        }
        var touched: [Session] = []
        for case let session? in rows.map(\.session)
        where !touched.contains(where: { $0 === session }) {
            touched.append(session)
        }
        for session in touched where session.kept == nil { drop(session) }
        var timers: [RestoredTimer] = []
        for session in touched where session.kept != nil { timers += rewind(session) }
        RestoredTimer.set(timers)
        ring.removeAll(after: recording.keptPos)
        recording.daemon = recording.keptDaemon
        recording.newest = recording.kept
    }

    /// The ids that a row made remembered are unknown again, and those that it made forgotten are not.
    private func forgetAnswers(_ row: Uncommitted) {
        guard let session = row.session else { return }
        if let id = row.id { receipts.forget(id, of: session.name) }
        for (id, change) in row.forgotten { receipts.remember(change, as: id, of: session.name) }
    }

    /// A session that was never opened.
    private func drop(_ session: Session) {
        session.machine.end()
        if index[session.name] === session { index.remove(session) }
        session.watchers.end(session.name)
    }

    private func rewind(_ session: Session) -> [RestoredTimer] {
        let kept = session.kept!  // whoever calls has looked
        while let refused = refusals[session.lastRefusal], refused.mark > kept.mark.position {
            session.lastRefusal = refused.previous
        }
        do throws(Refusal) {
            let timers = try session.rewind()
            if index[session.name] == nil { index.insert(session) }
            return timers
        } catch {
            // A flow that does not know its own state again; it cannot be kept up.
            let why = "\(kept.snapshot?.place.state ?? "") does not come back: \(error.sentence)"
            recording.quarantine[session.name] = why
            index.remove(session)
            return []
        }
    }
}
