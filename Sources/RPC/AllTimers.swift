internal import GameFlow
internal import JSONCoding
internal import Sessions

/// An operation on the timers of all sessions that a caller may operate: a request to each of these sessions. The sessions are
/// those that are open when the operation begins.
final class AllTimers {
    private let requests: any SessionRequests
    private let caller: any Caller
    private let action: TimerOperation.Action
    /// The id of the request, which each session's request gets; nil without an id.
    private let id: String?
    private let done: (DeferredResult.Outcome) -> Void
    /// The sessions whose request was not sent yet, in the reverse order of their names.
    private var waiting: [SessionName] = []
    /// The number of requests without a reply.
    private var unanswered = 0
    private var isSending = false
    /// The number of sessions that have carried out the operation.
    private var operated = 0
    private var failures: [(session: SessionName, error: CallError)] = []
    private var hasMoreFailures = false
    /// The members `missing` and `shards` of the page of sessions that lacks most shards; empty if none was missing.
    private var missing: [Member] = []

    /// The greatest number of requests without a reply.
    private static let requestsAtOnce = 32
    /// The greatest number of requests in a turn of the loop.
    private static let requestsPerTurn = 100
    /// The greatest number of failures in the result.
    static let shownFailures = 100

    private init(
        _ requests: any SessionRequests, _ caller: any Caller, _ action: TimerOperation.Action,
        id: String?, _ done: @escaping (DeferredResult.Outcome) -> Void
    ) {
        (self.requests, self.caller, self.action, self.id) = (requests, caller, action, id)
        self.done = done
    }

    /// The result of the operation, which begins when the result is fetched.
    static func result(
        _ requests: any SessionRequests, _ caller: any Caller, _ action: TimerOperation.Action,
        id: String?
    ) -> DeferredResult {
        DeferredResult { done in
            AllTimers(requests, caller, action, id: id, done).list(after: nil, [])
        }
    }

    /// Asks for the sessions after a name, and then operates them. `earlier` are the sessions of the pages before.
    private func list(after name: String?, _ earlier: [SessionName]) {
        requests.route(.list(after: name, limit: Self.requestsPerTurn), from: caller).begin {
            [self] outcome in
            let list: [Member]
            switch outcome.result {
            case .failure(let error): return done(.failure(error))
            case .success(let write): list = Self.members(write)
            }
            var page: [String] = []
            if case .array(let sessions)? = list["sessions"] {
                page = sessions.compactMap { session in
                    guard case .object(let members) = session else { return nil }
                    return members["session"]?.text
                }
            }
            // An owner that has answered the later pages may have been missing in an earlier one.
            let missing = list.filter { ["missing", "shards"].contains($0.name) }
            if Self.count(missing) > Self.count(self.missing) { self.missing = missing }
            let names =
                earlier
                + page.compactMap { SessionName($0) }.filter {
                    caller.rights.has(.operate, in: $0)
                }
            if list["more"] == .bool(true), let last = page.last {
                return requests.callInLaterTurn { [self] in self.list(after: last, names) }
            }
            waiting = names.reversed()
            sendNext()
        }
    }

    /// Sends requests until the maximum number is unanswered. Ends the operation after the last reply.
    private func sendNext() {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        var sent = 0
        while unanswered < Self.requestsAtOnce, let session = waiting.last {
            if sent == Self.requestsPerTurn {
                return requests.callInLaterTurn { [self] in sendNext() }
            }
            sent += 1
            unanswered += 1
            waiting.removeLast()
            let request = RoutedRequest.operateTimers(action, of: session, id: id)
            requests.route(request, from: caller).begin { [self] outcome in
                unanswered -= 1
                if case .failure(let error) = outcome.result {
                    add(error, of: session)
                } else {
                    operated += 1
                }
                sendNext()
            }
        }
        if unanswered == 0, waiting.isEmpty { end() }
    }

    private func add(_ error: CallError, of session: SessionName) {
        guard failures.count < Self.shownFailures else {
            hasMoreFailures = true
            return
        }
        failures.append((session, error))
    }

    private func end() {
        done(
            .success { [self] writer in
                writer.beginObject()
                writer.name("sessions")
                writer.int(operated)
                writer.name("failed")
                writer.beginArray()
                for (session, error) in failures {
                    writer.beginObject()
                    writer.name("session")
                    writer.string(session.text)
                    writer.name("error")
                    writer.error(error)
                    writer.endObject()
                }
                writer.endArray()
                if hasMoreFailures {
                    writer.name("more")
                    writer.bool(true)
                }
                for member in missing {
                    writer.key(member.name)
                    writer.value(member.value)
                }
                writer.endObject()
            })
    }

    /// The number of missing shards.
    private static func count(_ missing: [Member]) -> Int {
        if case .int(let count)? = missing["missing"] { count } else { 0 }
    }

    /// The members of the object that `write` writes.
    private static func members(_ write: (inout JSONWriter) -> Void) -> [Member] {
        guard case .object(let members)? = Value(json: JSONWriter.bytes { write(&$0) }) else {
            return []
        }
        return members
    }
}
