import Sessions

/// Writes down changes only: what a step did besides its changes is dropped.
final class RestlessRecorder {
    private let record: (SessionRecord, JournalPosition) -> JournalPosition
    private unowned let sessions: Sessions
    /// The marks that dropped records got, and the marks of the rows that their sessions really have.
    private var dropped: [SessionName: (answered: JournalPosition, newest: JournalPosition)] = [:]

    private init(_ sessions: Sessions) {
        self.sessions = sessions
        record = sessions.recorder!  // the keeper has set it
    }

    static func install(in sessions: Sessions) {
        let recorder = RestlessRecorder(sessions)
        sessions.recorder = { recorder.take($0, after: $1) }
    }

    private func take(_ row: SessionRecord, after previous: JournalPosition) -> JournalPosition {
        guard let name = row.session else { return record(row, previous) }
        var newest = previous
        if let known = dropped[name], known.answered == previous { newest = known.newest }
        guard row.kind == .rest else { return record(row, newest) }
        // It takes no position: the newest row is still the newest.
        let answered = JournalPosition(position: sessions.newestRow, checksum: newest.checksum)
        dropped[name] = (answered, newest)
        return answered
    }
}
