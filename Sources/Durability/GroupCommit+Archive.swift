public import Journal
public import Sessions

extension GroupCommit: HistoryStore {
    public func history(
        of session: Session, from place: Sessions.HistoryPlace, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void
    ) {
        guard openQueries < Self.queryLimit else {
            return done(.failure(.limit(which: "historyQueries", limit: Self.queryLimit)))
        }
        // The store executes its jobs in order, so the query finds these rows.
        flush()
        let newest = sessions.newestRow(of: session)
        let audits = sessions.auditsRefusals
        let start = (audits ? place.refusal : nil) ?? newest
        let first = sessions.firstRow(of: session)
        // The position belongs to an earlier session of that name.
        guard first <= start else { return done(.success((records: [], next: nil))) }
        let query = JournalQuery(
            session: session.name.text, positions: first...start,
            before: place.before ?? .max, kinds: audits ? [.change, .refusal] : [.change],
            limit: limit + 1, bytes: sessions.limits.historyBytes)
        openQueries += 1
        store.find(query) { [unowned self] result in
            openQueries -= 1
            switch result {
            case .failure(let error):
                done(.failure(.storage(why: error.description, outcome: .undone)))
            case .success(let page):
                done(
                    .success(
                        sessions.history(
                            of: session, from: place, limit: limit,
                            rows: page.rows.compactMap { try? $0.record() }, isAll: page.isComplete,
                            upTo: newest)))
            }
        }
    }

    /// Writes a copy of all rows to a path that does not exist, with additional notes, and verifies
    /// it by reading it.
    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void
    ) {
        flush()
        store.backup(to: path, notes: notes, done)
    }
}
