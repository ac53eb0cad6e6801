import GameFlow
import RPC
import Sessions

/// A fake store of the history. `completeRequests` completes its requests, in reverse order.
final class FakeStore: HistoryStore {
    private unowned let sessions: Sessions
    private var completions: [() -> Void] = []

    init(_ sessions: Sessions) { self.sessions = sessions }

    func history(
        of session: Session, from position: Sessions.HistoryPosition, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void
    ) {
        let page = sessions.history(of: session, from: position, limit: limit)
        completions.append { done(.success(page)) }
    }

    func completeRequests() {
        while let complete = completions.popLast() { complete() }
    }
}
