import GameFlow
import JSONCoding
import RPC
import Sessions
import Support

/// The method `reload`: reads the configuration again, in the same way as SIGHUP.
struct ReloadMethod: PartMethod {
    let method = Method.reload
    private unowned let listeners: Listeners
    private let arguments: [String]
    private let flows: [AnyFlow]

    /// `arguments` are the arguments of the daemon's command line, and `flows` the flows of the program.
    init(_ listeners: Listeners, _ arguments: [String], _ flows: [AnyFlow]) {
        (self.listeners, self.arguments, self.flows) = (listeners, arguments, flows)
    }

    func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        .deferred(DeferredResult(members: reload))
    }

    private func reload(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        listeners.readAgain(arguments, flows: flows) { result in
            switch result {
            case .failure(let error): done(.failure(Self.invalid(error.lines)))
            case .success(let outcome) where !outcome.mistakes.isEmpty:
                done(.failure(Self.invalid(outcome.mistakes)))
            case .success(let outcome): done(.success(outcome.members))
            }
        }
    }

    /// The maximum number of mistakes in an answer. A thousand flow files can have many thousand.
    static let mistakeLimit = 100

    /// The error with the mistakes, one in each line.
    static func invalid(_ mistakes: [String]) -> RequestError {
        var lines = Array(mistakes.prefix(mistakeLimit))
        let more = mistakes.count - lines.count
        if more > 0 { lines.append("and \(more) more, which are in the log") }
        return .invalid(
            .configuration("configuration"), argument: "", why: lines.joined(separator: "\n"))
    }
}
