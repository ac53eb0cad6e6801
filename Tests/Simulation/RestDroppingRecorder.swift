import Sessions

/// The injected fault `restNotRecorded`: drops rest rows, and chains the next row of the session to the row before
/// the dropped one.
final class RestDroppingRecorder {
    private let record: (SessionRecord, JournalPosition) -> JournalPosition
    private unowned let sessions: Sessions
    /// For each session with a dropped record, two positions: the position that was returned for the record, and the position
    /// of the newest row that was recorded.
    private var dropped: [SessionName: (returned: JournalPosition, newest: JournalPosition)] = [:]

    private init(_ sessions: Sessions) {
        self.sessions = sessions
        record = sessions.recorder!  // the group commit has set it
    }

    static func install(in sessions: Sessions) {
        let recorder = RestDroppingRecorder(sessions)
        sessions.recorder = { recorder.recordUnlessRest($0, after: $1) }
    }

    private func recordUnlessRest(
        _ row: SessionRecord, after previous: JournalPosition
    ) -> JournalPosition {
        guard let name = row.session else { return record(row, previous) }
        var newest = previous
        if let drop = dropped[name], drop.returned == previous { newest = drop.newest }
        guard row.kind == .rest else { return record(row, newest) }
        // A dropped row gets no number of its own: the returned position has the number of the newest row of all sessions.
        let returned = JournalPosition(position: sessions.newestRow, checksum: newest.checksum)
        dropped[name] = (returned, newest)
        return returned
    }
}
