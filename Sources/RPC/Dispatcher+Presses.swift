internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// The method `presses`: who pressed first, and by how much.
extension Dispatcher {
    /// The number of pages of the history that a search for presses reads.
    private static let searchedPages = 20

    /// Writes the presses of an event; without the parameter `event`, of the buzzer of the session's present state. What is not in
    /// memory is read from the store.
    func presses(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let limits = sessions.limits
        let limit = try self.limit(
            params, default: limits.historyDefault, maximum: limits.historyPage)
        let session = try session(params, .presses, caller)
        let view = caller.rights.view(session.name)
        let event = try pressedEvent(params.text(.event), session, view)
        let hidden = view.namesToHide(session.flow.hidden)
        let presses = sessions.presses(of: event, in: session)
        guard presses.mayBeMoreInJournal, let archive else {
            write(presses, limit, view, hidden, to: &writer)
            return .succeeded(row: sessions.row(of: session))
        }
        return .deferred(
            DeferredResult { [self] done in
                let search = Sessions.PressSearch(of: event, in: session)
                find(search, in: archive, pages: Self.searchedPages) { result in
                    done(.written(result) { self.write($0, limit, view, hidden, to: &$1) })
                }
            })
    }

    /// Reads older pages of the history from the store, at most `pages`, until the presses are found.
    private func find(
        _ search: Sessions.PressSearch, in archive: any HistoryStore,
        from position: Sessions.HistoryPosition = .init(), pages: Int,
        _ done: @escaping (Result<Sessions.Presses, RequestError>) -> Void
    ) {
        archive.history(of: search.session, from: position, limit: sessions.limits.historyPage) {
            [self] result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let page):
                var found = search
                for record in page.records { found.add(record) }
                if !found.hasEnded, pages > 1, let next = page.next {
                    return find(found, in: archive, from: next, pages: pages - 1, done)
                }
                done(.success(sessions.presses(foundInRows: found)))
            }
        }
    }

    private func write(
        _ presses: Sessions.Presses, _ limit: Int, _ view: SessionView, _ hidden: HiddenNames?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("presses")
        writer.beginArray()
        // Only the events that have waited for each other are executed in the order in which they were sent.
        let records = presses.records.enumerated()
            .sorted { ($0.element.sent, $0.offset) < ($1.element.sent, $1.offset) }
            .map(\.element)
        let start = records.first?.sent
        for record in records.prefix(limit) {
            write(record, since: start ?? record.sent, view, hidden, to: &writer)
        }
        writer.endArray()
        writer.name("complete")
        writer.bool(presses.isComplete)
        let more = presses.records.count - limit
        if more > 0 {
            writer.name("more")
            writer.int(more)
        }
        writer.endObject()
    }

    /// Returns the name of the event whose presses are asked for. An event that is hidden from the caller is as unknown as one
    /// that does not exist.
    private func pressedEvent(_ name: String?, _ session: Session, _ view: SessionView)
        throws(CallError) -> String
    {
        let flow = session.flow
        let hidden = view.namesToHide(flow.hidden)
        let names = hidden.shown(flow.events.map(\.name))
        let buzzers = names.filter { flow.presentation.events[$0]?.offer.isBuzzer == true }
        let name = name ?? sessions.newestTaken(of: buzzers, in: session)
        guard let name else {
            throw .refused(
                .invalid(
                    .session(session.name.text), argument: "event",
                    why: "the flow \(flow.name) has no event that is a buzzer; name an event"))
        }
        guard names.contains(where: { $0.hasSameBytes(as: name) }) else {
            throw .refused(.unknownEvent(name, didYouMean: DidYouMean.suggest(name, names)))
        }
        return name
    }

    /// One press: who, the arguments that are not in `hidden`, the result, and when it was received.
    private func write(
        _ record: Sessions.Record, since start: Instant, _ view: SessionView,
        _ hidden: HiddenNames?, to writer: inout JSONWriter
    ) {
        let arguments = record.event.flatMap { hidden.shown($0) }?.arguments ?? []
        writer.beginObject()
        writer.name("by")
        writer.string(arguments[EventRecord.playerArgument]?.text ?? record.source.kind.name)
        writer.name("args")
        writer.object(arguments)
        writer.name("result")
        writer.string(record.errorName ?? "ok")
        writer.name("receivedMs")
        writer.int(Int((record.receipt?.received ?? record.at).milliseconds))
        writer.name("afterMs")
        writer.int(Int((record.sent - start).milliseconds))
        if view == .full, let peer = record.source.peer {
            writer.name("peer")
            writer.object(peer.members)
        }
        if view == .full, let principal = record.source.principal {
            writer.name("as")
            writer.string(principal)
        }
        writer.endObject()
    }
}

extension Sessions.Record {
    fileprivate var event: EventRecord? {
        switch self {
        case .change(let change): change.step.event
        case .refusal(let refusal): refusal.event
        }
    }

    fileprivate var source: Source {
        switch self {
        case .change(let change): change.step.source
        case .refusal(let refusal): refusal.source
        }
    }

    fileprivate var at: Instant {
        switch self {
        case .change(let change): change.at
        case .refusal(let refusal): refusal.at
        }
    }

    /// When the event was received, if it has waited for others.
    fileprivate var receipt: Change.Receipt? {
        switch self {
        case .change(let change): change.details?.value as? Change.Receipt
        case .refusal(let refusal): refusal.receipt
        }
    }

    /// The instant at which the event was sent, as far as it is known.
    fileprivate var sent: Instant { receipt?.sent ?? at }

    /// The name of the error; nil for an accepted event.
    fileprivate var errorName: String? {
        switch self {
        case .change: nil
        case .refusal(let refusal): refusal.error.name
        }
    }
}
