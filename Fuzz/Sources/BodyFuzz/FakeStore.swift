import GameFlow
import RPC
import Sessions

/// A fake store of the history and of the tokens. `completeRequests` completes its requests, in reverse order. A backup fails
/// if its path ends with `!`.
final class FakeStore: HistoryStore, TokenStore {
    private unowned let sessions: Sessions
    private var completions: [() -> Void] = []
    /// The names of the tokens.
    private(set) var names: [String] = []

    init(_ sessions: Sessions) { self.sessions = sessions }

    func history(
        of session: Session, from position: Sessions.HistoryPosition, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void
    ) {
        let page = sessions.history(of: session, from: position, limit: limit)
        completions.append { done(.success(page)) }
    }

    func backup(to path: String, _ done: @escaping (Result<[Member], RequestError>) -> Void) {
        completions.append {
            done(
                path.hasSuffix("!")
                    ? .failure(.storage(why: "it is full", outcome: .undone))
                    : .success([Member("to", path)]))
        }
    }

    func completeRequests() {
        while let complete = completions.popLast() { complete() }
    }

    // MARK: tokens

    var descriptions: [TokenDescription] {
        names.map { TokenDescription(name: $0, use: .signIn, rights: .everything) }
    }

    func add(
        _ name: String, isForURLs: Bool, _ done: @escaping (Result<String, CallError>) -> Void
    ) {
        guard !names.contains(name) else {
            return completions.append {
                done(.failure(.invalidParams("name: a token with this name exists")))
            }
        }
        names.append(name)
        let secret = "made-\(names.count)"
        completions.append { done(.success(secret)) }
    }

    func remove(_ name: String, _ done: @escaping (Result<Int, CallError>) -> Void) {
        guard names.contains(name) else {
            return completions.append {
                done(.failure(.invalidParams("name: no token has this name")))
            }
        }
        names.removeAll { $0 == name }
        completions.append { done(.success(0)) }
    }
}
