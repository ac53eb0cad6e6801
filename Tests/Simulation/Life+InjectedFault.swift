import Keeping
import Sessions
import Timers

extension Life {
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
        written.sessions = written.sessions.map { session in
            let record = session.record
            let text = String(decoding: record.body, as: UTF8.self)
            let moved = text.replacing(/"untilNs":"(\d+)"/) {
                "\"untilNs\":\"\(Int64($0.1)! + down.nanoseconds)\""
            }
            return WrittenSession(
                SessionRecord(
                    record.kind, session: record.session, seq: record.seq, at: record.at,
                    id: record.id, idNumber: record.idNumber, position: record.position,
                    body: Array(moved.utf8)), session.mark, began: session.began)
        }
        return written
    }
}
