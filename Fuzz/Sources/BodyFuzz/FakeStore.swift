import GameFlow
import RPC
import Sessions

/// A fake history and token store that completes requests on command, the last one first.
final class FakeStore: HistoryStore, TokenStore {
    private unowned let sessions: Sessions
    private var answers: [() -> Void] = []
    private(set) var names: [String] = []

    init(_ sessions: Sessions) { self.sessions = sessions }

    func history(
        of session: Session, from place: Sessions.HistoryPlace, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void
    ) {
        let page = sessions.history(of: session, from: place, limit: limit)
        answers.append { done(.success(page)) }
    }

    func backup(to path: String, _ done: @escaping (Result<[Member], RequestError>) -> Void) {
        answers.append {
            done(
                path.hasSuffix("!")
                    ? .failure(.storage(why: "it is full", outcome: .undone))
                    : .success([Member("to", path)]))
        }
    }

    func settle() {
        while let answer = answers.popLast() { answer() }
    }

    // MARK: tokens

    func add(_ name: String) throws(CallError) -> String {
        guard !names.contains(name) else { throw .invalidParams("name: there is one") }
        names.append(name)
        return "made-\(names.count)"
    }

    func remove(_ name: String) throws(CallError) -> Int {
        guard names.contains(name) else { throw .invalidParams("name: there is none") }
        names.removeAll { $0 == name }
        return 0
    }
}
