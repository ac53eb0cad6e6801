internal import Sessions

/// The lists of sessions that take longer than a turn of the loop may: few of very many sessions fit. Each turn examines some
/// sessions for the oldest list, so clients are served meanwhile, however many lists they have requested.
final class LongLists {
    /// The lists that have not ended, the oldest first. `advance` continues a list, and returns whether it has ended.
    private var waiting: [(caller: any Caller, advance: () -> Bool)] = []

    /// How many sessions are examined in a turn. It takes less than 1 ms, unless the caller's rights have very many lines.
    static let pieceCount = 4096

    /// A list for a caller.
    final class List {
        private var search: SessionSearch
        let caller: any Caller

        init(_ search: SessionSearch, _ caller: any Caller) {
            (self.search, self.caller) = (search, caller)
        }

        func advance(in sessions: Sessions, examining count: Int) -> SessionSearch.Page? {
            search.advance(in: sessions, examining: count, where: caller.mayObserve)
        }
    }

    /// The result of a list that has begun. If the list is empty, the result is the error `emptyError`, if there is one.
    func result(
        of list: List, _ dispatcher: Dispatcher, ifEmpty emptyError: CallError?
    ) -> DeferredResult {
        DeferredResult { [self] done in
            add(list.caller, dispatcher) { [unowned dispatcher] in
                guard
                    let page = list.advance(in: dispatcher.sessions, examining: Self.pieceCount)
                else { return false }
                if page.sessions.isEmpty, let emptyError {
                    done(.failure(emptyError))
                } else {
                    done(
                        DeferredResult.Outcome(
                            .success { dispatcher.write(page, for: list.caller, to: &$0) },
                            row: dispatcher.sessions.newestRow))
                }
                return true
            }
        }
    }

    private func add(
        _ caller: any Caller, _ dispatcher: Dispatcher, _ advance: @escaping () -> Bool
    ) {
        waiting.append((caller, advance))
        if waiting.count == 1 { advanceLater(dispatcher) }
    }

    private func advanceLater(_ dispatcher: Dispatcher) {
        guard let requests = dispatcher.sessionRequests else {
            // Without a loop, as in a program with its own connections, nobody waits for another turn.
            while let first = waiting.first { if first.advance() { waiting.removeFirst() } }
            return
        }
        requests.callInLaterTurn { [weak self, weak dispatcher] in
            guard let self, let dispatcher else { return }
            waiting.removeAll { $0.caller.isGone }
            if let first = waiting.first, first.advance() { waiting.removeFirst() }
            if !waiting.isEmpty { advanceLater(dispatcher) }
        }
    }
}
