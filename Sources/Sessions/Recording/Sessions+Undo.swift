public import GameFlow
internal import Support
internal import Timers

/// Taking back what could not be kept.
extension Sessions {
    /// Why nothing can be kept at present; nil while all is well.
    public var outage: String? { recording.outage }

    /// Everything that is not on the disk has not happened: state, data, timers, numbers and remembered ids
    /// are as they were. From now on nothing is taken, until the storage is back.
    ///
    /// Returns the openings of sessions that were taken back.
    public func storageFailed(_ why: String) -> [UndoneOpening] {
        let rows = undo()
        for row in rows {
            if let session = row.session { recording.doubtful.insert(session.name) }
            if row.session == nil, !row.isStart { recording.isDeedDoubtful = true }
        }
        recording.outage = why
        return rows.compactMap { UndoneOpening($0) }
    }

    /// A session that was opened, and was taken back before its opening was on the disk.
    public struct UndoneOpening {
        public let session: SessionName
        public let source: Source

        init?(_ row: Uncommitted) {
            guard row.isChange, let session = row.session, let change = row.standing.change,
                change.kind == .open
            else { return nil }
            (self.session, source) = (session.name, change.step.source)
        }
    }

    /// What is sent is taken again.
    public func storageIsBack() {
        recording.outage = nil
        recording.doubtful = []
        recording.isDeedDoubtful = false
        recordStart()
    }

    /// Does what would change something. While the storage is out it is taken back at once: a refusal of
    /// the flow's is told as ever, and whatever would have been taken is refused for that.
    ///
    /// As long as nobody knows what is there of the session, the same change may be there from before.
    func durably<T>(_ name: SessionName, _ work: () throws(RequestError) -> T) throws(RequestError)
        -> T
    {
        let before = recording.uncommitted.count
        let result = try work()
        guard let outage, recording.uncommitted.count > before else { return result }
        #if FAULT_INJECTION
            if injectedFaults.contains(.takesWhileOut) { return result }
        #endif
        undo()
        let isDoubtful = recording.doubtful.contains(name)
        throw .storage(why: outage, outcome: isDoubtful ? .unknown : .undone)
    }

    /// Why nothing of the daemon's own is done while the storage is out.
    func deedRefused(_ why: String) -> RequestError {
        .storage(why: why, outcome: recording.isDeedDoubtful ? .unknown : .undone)
    }

    @discardableResult private func undo() -> [Uncommitted] {
        var rows: [Uncommitted] = []
        while let row = recording.uncommitted.removeFirst() { rows.append(row) }
        for row in rows.reversed() {
            forgetAnswers(row)
            if let session = row.session { subscriptions.put(back: row.watchers, of: session.name) }
            if let (name, why) = row.givenUp { recording.quarantine[name] = why }
        }
        var known: Set<ObjectIdentifier> = []
        var touched = rows.compactMap(\.session).filter {
            known.insert(ObjectIdentifier($0)).inserted
        }
        #if FAULT_INJECTION
            if injectedFaults.contains(.partialUndo) { touched = Array(touched.prefix(1)) }
        #endif
        let dropped = touched.filter { $0.kept == nil }
        for session in dropped { drop(session) }
        if takeBackTime() {
            let others = index.page(after: nil, limit: .max) { _ in true }
            touched += others.filter { known.insert(ObjectIdentifier($0)).inserted }
        }
        var timers: [RestoredTimer] = []
        for session in touched where session.kept != nil { timers += rewind(session) }
        #if FAULT_INJECTION
            if injectedFaults.contains(.timersStay) { timers = [] }
        #endif
        RestoredTimer.set(timers)
        // Whoever watches one of the same name that is there again still does.
        for session in dropped where index[session.name] == nil {
            endWatches(of: session.name)
        }
        recording.closing = []
        ring.removeAll(after: recording.keptPos)
        recording.daemon = recording.keptDaemon
        recording.newest = recording.kept
        return rows
    }

    /// The virtual clock stands where it did; whether it has to go back for that. Then every timer is looked
    /// at: pendulums of other sessions have beaten meanwhile.
    private func takeBackTime() -> Bool {
        guard let time = timeline as? VirtualClock, time.now > recording.keptAt else {
            return false
        }
        time.goBack(to: recording.keptAt)
        return true
    }

    /// The ids that a row made remembered are unknown again, and those that it made forgotten are not.
    private func forgetAnswers(_ row: Uncommitted) {
        defer {
            for one in row.forgotten {
                receipts.remember(one.change, as: one.id, of: one.session, mark: one.mark)
            }
        }
        guard let session = row.session else { return }
        #if FAULT_INJECTION
            if injectedFaults.contains(.idsStay) { return }
        #endif
        if let id = row.id { receipts.forget(id, of: session.name) }
    }

    /// A session that was never opened.
    private func drop(_ session: Session) {
        session.machine.end()
        if index[session.name] === session { index.remove(session) }
    }

    private func rewind(_ session: Session) -> [RestoredTimer] {
        let kept = session.kept!  // whoever calls has looked
        while let refused = refusals[session.lastRefusal], refused.mark > kept.mark.position {
            session.lastRefusal = refused.previous
        }
        do throws(Reason) {
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
