internal import GameFlow
public import JSON
internal import Journal
public import Sessions

extension Keeper: Archive {
    public func history(
        of session: Session, from place: Sessions.HistoryPlace, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void
    ) {
        // The store does what it is asked in order: by then the rows are there.
        flush()
        let newest = sessions.newestRow(of: session)
        let start = place.refusal.flatMap { sessions.auditsRefusals ? $0 : nil }
        store.walk(
            from: Int64(start ?? newest),
            JournalRow.Walk(
                before: Int64(place.before ?? .max),
                kinds: sessions.auditsRefusals ? [.change, .refusal] : [.change],
                limit: limit + 1, bytes: sessions.limits.historyBytes)
        ) { [unowned self] result in
            switch result {
            case .failure(let error):
                done(.failure(.storage(why: error.description, outcome: .undone)))
            case .success(let rows):
                let records = rows.compactMap(\.record)
                let isAll = rows.count <= limit && rows.last?.previous.position ?? 0 == 0
                done(
                    .success(
                        sessions.history(
                            of: session, from: place, limit: limit, rows: records, isAll: isAll,
                            upTo: newest)))
            }
        }
    }

    public func backup(to path: String, _ done: @escaping (Result<[Member], RequestError>) -> Void)
    {
        flush()
        store.backup(to: path) { result in
            switch result {
            case .failure(let error):
                done(.failure(.storage(why: error.description, outcome: .undone)))
            case .success(let facts):
                done(
                    .success([
                        Member("to", path), Member("bytes", facts.bytes),
                        Member("rows", facts.rows),
                        Member("sessions", facts.sessions), Member("position", Int(facts.position)),
                        Member("damaged", facts.damaged), Member("verified", .bool(true)),
                    ]))
            }
        }
    }
}
