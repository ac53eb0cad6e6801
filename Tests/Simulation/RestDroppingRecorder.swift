import Sessions

/// The injected fault `restNotRecorded`: drops rest rows, and chains the next row of the session to the one before.
final class RestDroppingRecorder {
    private let record: (SessionRecord, JournalPosition) -> JournalPosition
    private unowned let sessions: Sessions
    /// The positions that were returned for dropped records, and the newest recorded positions of their sessions.
    private var dropped: [SessionName: (answered: JournalPosition, newest: JournalPosition)] = [:]

    private init(_ sessions: Sessions) {
        self.sessions = sessions
        record = sessions.recorder!  // the group commit has set it
    }

    static func install(in sessions: Sessions) {
        let recorder = RestDroppingRecorder(sessions)
        sessions.recorder = { recorder.take($0, after: $1) }
    }

    private func take(_ row: SessionRecord, after previous: JournalPosition) -> JournalPosition {
        guard let name = row.session else { return record(row, previous) }
        var newest = previous
        if let known = dropped[name], known.answered == previous { newest = known.newest }
        guard row.kind == .rest else { return record(row, newest) }
        // A dropped record takes no position.
        let answered = JournalPosition(position: sessions.newestRow, checksum: newest.checksum)
        dropped[name] = (answered, newest)
        return answered
    }
}
