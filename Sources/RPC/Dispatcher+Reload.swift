public import GameFlow
internal import JSONCoding
public import Sessions

/// Reads the daemon's configuration again, for the method `reload`.
public protocol Reloader: AnyObject {
    /// Calls `done` on the loop's thread with the members of the result, or with the error that has every mistake.
    func reload(_ done: @escaping (Result<[Member], RequestError>) -> Void)
}

/// The method `reload`.
extension Dispatcher {
    func reload() throws(CallError) -> CallOutcome {
        guard let reloader else {
            throw .invalidParams("this daemon cannot read its configuration again")
        }
        return .deferred(
            DeferredResult { done in
                reloader.reload { result in
                    done(
                        result.map { members in { $0.object(members) } }
                            .mapError { .refused($0) })
                }
            })
    }
}
