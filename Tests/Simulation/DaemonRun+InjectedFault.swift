import Durability
import GameFlow
import Sessions
import Timers

extension DaemonRun {
    /// Injects a fault into the sessions, or between them and the group commit.
    func inject(_ fault: InjectedFault) {
        #if FAULT_INJECTION
            sessions.injectedFaults = fault.sessionFaults
        #endif
        switch fault {
        case .restNotRecorded: RestDroppingRecorder.install(in: sessions)
        case .splitBatches:
            let record = sessions.recorder!  // the group commit has set it
            sessions.recorder = { [unowned self] row, previous in
                defer { groupCommit.flush() }
                return record(row, previous)
            }
        case .timersNotEnded: lingering = LingeringTimers(of: sessions)
        default: break
        }
    }
}

extension InjectedFault {
    /// The content of the journal for the restore after a downtime, changed by this fault.
    func applied(to content: Sessions.JournalContent, downtime down: Duration)
        -> Sessions.JournalContent
    {
        var content = content
        if self == .idsForgotten { content.answers = [] }
        guard self == .relativeDeadlines else { return content }
        content.sessions = DelayedRows(content.sessions, by: down)
        return content
    }
}

/// Rows in which the deadlines of all running timers are moved.
private final class DelayedRows: SessionRows {
    private let rows: any SessionRows
    private let down: Duration

    init(_ rows: any SessionRows, by down: Duration) { (self.rows, self.down) = (rows, down) }

    var count: Int { rows.count }

    func forEach(
        leaving mayWait: (_ number: Int, SessionName, TimerBounds) -> Bool,
        _ process: (borrowing SessionRecord, Checkpoint) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void
    ) {
        rows.forEach(
            leaving: mayWait, { process($0.delayed(by: down), $1) }, unreadable: unreadable)
    }

    func number(of name: SessionName) -> Int? { rows.number(of: name) }
    func name(of number: Int) -> SessionName { rows.name(of: number) }
    func flow(of number: Int) -> String? { rows.flow(of: number) }

    func take(_ number: Int, _ name: SessionName) throws(Sessions.QuarantineError)
        -> (SessionRecord, Checkpoint)
    {
        let (record, checkpoint) = try rows.take(number, name)
        return (record.delayed(by: down), checkpoint)
    }
}

extension SessionRecord {
    /// The record with the deadlines of all running timers moved by `down`.
    fileprivate func delayed(by down: Duration) -> SessionRecord {
        let body: Body =
            switch self.body {
            case .change(let status): .change(status.delayed(by: down))
            case .rest(let status, let rest): .rest(status.delayed(by: down), rest)
            default: self.body
            }
        return SessionRecord(
            body, session: session, seq: seq, at: at, pos: pos, id: id, idNumber: idNumber,
            position: position)
    }
}

extension SessionRecord.Status {
    fileprivate func delayed(by down: Duration) -> SessionRecord.Status {
        let machine = self.machine.map { machine in
            MachineRecord(
                place: machine.place,
                timers: machine.timers.map { timer in
                    guard case .running(let until) = timer.state else { return timer }
                    return TimerRecord(
                        fires: timer.fires, total: timer.total,
                        state: .running(until: until + down), order: timer.order,
                        traits: timer.traits)
                }, waiting: machine.waiting)
        }
        return SessionRecord.Status(
            change, isConsequence: isConsequence, flow: flow, flowVersion: flowVersion,
            sourceVersion: sourceVersion, openedAt: openedAt,
            entry: entry, requestIDCount: requestIDCount, settings: settings, notes: notes,
            machine: machine)
    }
}
