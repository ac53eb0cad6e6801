import Durability
import GameFlow
import Sessions
import Timers

extension DaemonRun {
    /// Puts a fault into the sessions, or between them and their keeper.
    func inject(_ fault: InjectedFault) {
        #if FAULT_INJECTION
            sessions.injectedFaults = fault.ofUndo
        #endif
        switch fault {
        case .restUnwritten: RestlessRecorder.install(in: sessions)
        case .splitCalls:
            let record = sessions.recorder!  // the keeper has set it
            sessions.recorder = { [unowned self] row, previous in
                defer { keeper.flush() }
                return record(row, previous)
            }
        case .cancelForgotten: lingering = LingeringTimers(of: sessions)
        default: break
        }
    }
}

extension InjectedFault {
    /// What a restart has to go on from, as a fault of whoever reads it leaves it, after so much time.
    func spoilt(_ written: Sessions.Written, by down: Duration) -> Sessions.Written {
        var written = written
        if self == .idsForgotten { written.answers = [] }
        guard self == .relativeDeadlines else { return written }
        written.sessions = written.sessions.changed { session in
            WrittenSession(
                session.record.delayed(by: down), session.mark, began: session.began)
        }
        return written
    }
}

extension SessionRecord {
    /// The record of which all running timers fire so much later.
    fileprivate func delayed(by down: Duration) -> SessionRecord {
        let body: Body =
            switch self.body {
            case .change(let change):
                .change(
                    Changed(
                        change.did, follows: change.follows, change.status.delayed(by: down)))
            case .rest(let rest):
                .rest(
                    Rest(
                        after: rest.last, pos: rest.lastPos, at: rest.lastAt, fired: rest.fired,
                        answer: rest.answer, follows: rest.follows,
                        rest.status.delayed(by: down)))
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
            MachineSnapshot(
                place: machine.place,
                timers: machine.timers.map { timer in
                    guard case .running(let until) = timer.standing else { return timer }
                    return TimerRecord(
                        fires: timer.fires, total: timer.total,
                        standing: .running(until: until + down), order: timer.order)
                }, waiting: machine.waiting)
        }
        return SessionRecord.Status(
            flow: flow, openedAt: openedAt, ids: ids, machine: machine)
    }
}
