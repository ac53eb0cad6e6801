public import GameFlow

/// The reason for which a request was refused. Each error has the data that the client receives.
public enum RequestError: Error, Equatable {
    /// The item to which an invalid argument belongs.
    public enum Subject: Equatable, Sendable {
        case event(String)
        case state(String)
        case flow(String)
        case session(String)
        /// The configuration. `why` has a line for each mistake.
        case configuration(String)
        /// The steps of a session that `undo` takes back; `seq` is that of the request.
        case undo(session: String, seq: Int?)
    }

    /// The action that was requested.
    public enum RequestedAction: Equatable, Sendable {
        case event(String)
        case method(String)
    }

    /// The right that a forbidden action needs.
    public enum NeededRight: Equatable, Sendable, CustomStringConvertible {
        /// Only a timer of the state may send the event.
        case timer
        /// A right or a credential, in words.
        case right(String)

        public var description: String {
            switch self {
            case .timer: "timer"
            case .right(let words): words
            }
        }
    }

    /// The flow has no transition for the event in the present state. `accepts` are the events that the state takes or defers;
    /// `last` is the session's newest change, which may explain the refusal.
    case noTransition(event: String, state: String, accepts: [String], last: LastChange?)
    /// An argument or a value is not valid; if `argument` is empty, the event as a whole. `isOfFlow` says whether `why` is a text
    /// that the flow's author wrote for players.
    case invalid(Subject, argument: String, why: String, isOfFlow: Bool = false)
    /// The hook with the name `hook` refused the transition.
    case hookRefused(hook: String, why: String)
    /// The caller lacks the right, or only a timer of the state may send the event.
    case forbidden(RequestedAction, source: Source.Kind, needs: NeededRight)
    case unknownSession(String, didYouMean: [String])
    case unknownEvent(String, didYouMean: [String])
    /// The session is in a final state, which takes no events.
    case finished(state: String)
    /// The event happened too long ago: its age, which the sender has given, exceeds the limit for sources of this kind.
    case stale(ageMs: Int, limitMs: Int)
    /// The session has entered a state since the entry for which the request was meant.
    case staleEntry(Int, present: Int)
    /// The request may repeat one that was answered at this time, by the sessions' clock, and whose answer is forgotten.
    case staleID(String, forgottenMs: Int)
    case deferQueueFull(limit: Int)
    /// A session of this name is already open.
    case exists(String)
    /// The limit with the name `which` is reached.
    case limit(which: String, limit: Int)
    case unknownFlow(String, didYouMean: [String])
    /// The request needs a virtual clock, but the daemon has a real clock.
    case notVirtual
    /// The store did not make the change durable, or it is not known whether it did; `outcome` says which.
    case storage(why: String, outcome: StorageOutcome)
    case unknownState(String, didYouMean: [String])
    /// Another node owns the session; clients connect to it at the address.
    case elsewhere(session: String, node: String, address: String)

    /// The outcome of a change that could not be made durable.
    public enum StorageOutcome: String, Sendable {
        /// The change was not made, or it was undone.
        case undone
        /// The change may have happened. Sending the request again with its id gives the definite answer.
        case unknown
    }

    /// The error's name in the protocol and in journals.
    public var name: StaticString {
        switch self {
        case .noTransition: "noTransition"
        case .invalid: "invalid"
        case .hookRefused: "hookRefused"
        case .forbidden: "forbidden"
        case .unknownSession: "unknownSession"
        case .unknownEvent: "unknownEvent"
        case .finished: "finished"
        case .stale, .staleEntry, .staleID: "stale"
        case .deferQueueFull: "deferQueueFull"
        case .exists: "exists"
        case .limit: "limit"
        case .storage: "storage"
        case .unknownFlow: "unknownFlow"
        case .notVirtual: "notVirtual"
        case .unknownState: "unknownState"
        case .elsewhere: "elsewhere"
        }
    }
}

extension RequestError {
    /// The error's data for clients.
    public var data: [Member] {
        switch self {
        case .noTransition(let event, let state, let accepts, let last):
            [Member("event", event), Member("state", state), Member("accepts", array(accepts))]
                + (last.map { [Member("last", $0.value)] } ?? [])
        case .invalid(.configuration(let path), _, let why, _):
            [
                Member("configuration", path), Member("why", why),
                Member("mistakes", array(why.split(separator: "\n").map(String.init))),
            ]
        case .invalid(.undo(let session, let seq), _, let why, _):
            [
                Member("session", session), Member("seq", seq.map { .int($0) } ?? .null),
                Member("why", why),
            ]
        case .invalid(let subject, let argument, let why, let isOfFlow):
            [subject.member] + (argument.isEmpty ? [] : [Member("argument", argument)])
                + [Member("why", why)] + (isOfFlow ? [Member("ofFlow", .bool(true))] : [])
        case .hookRefused(let hook, let why): [Member("hook", hook), Member("why", why)]
        case .forbidden(let action, let source, let needs):
            [action.member, Member("source", source.name), Member("needs", needs.description)]
        case .unknownSession(let session, let suggestions): unknown("session", session, suggestions)
        case .unknownEvent(let event, let suggestions): unknown("event", event, suggestions)
        case .unknownFlow(let flow, let suggestions): unknown("flow", flow, suggestions)
        case .unknownState(let state, let suggestions): unknown("state", state, suggestions)
        case .finished(let state): [Member("state", state)]
        case .stale(let ageMs, let limitMs): [Member("ageMs", ageMs), Member("limitMs", limitMs)]
        case .staleEntry(let entry, let present):
            [Member("entry", entry), Member("present", present)]
        case .staleID(let id, let forgottenMs):
            [Member("id", id), Member("forgottenMs", forgottenMs)]
        case .deferQueueFull(let limit): [Member("limit", limit)]
        case .exists(let session): [Member("session", session)]
        case .limit(let which, let limit): [Member("which", which), Member("limit", limit)]
        case .storage(let why, let outcome):
            [Member("why", why), Member("outcome", outcome.rawValue)]
        case .notVirtual: []
        case .elsewhere(let session, let node, let address):
            [Member("session", session), Member("node", node), Member("address", address)]
        }
    }

    /// The data of an error about an unknown name: the name, as the member `key`, and names to suggest instead.
    private func unknown(_ key: String, _ name: String, _ suggestions: [String]) -> [Member] {
        [Member(key, name), Member("didYouMean", array(suggestions))]
    }

    private func array(_ texts: [String]) -> Value { .array(texts.map { .string($0) }) }
}

extension RequestError.Subject {
    fileprivate var member: Member {
        switch self {
        case .event(let event): Member("event", event)
        case .state(let state): Member("state", state)
        case .flow(let flow): Member("flow", flow)
        case .session(let session): Member("session", session)
        case .configuration(let path): Member("configuration", path)
        case .undo(let session, _): Member("session", session)
        }
    }
}

extension RequestError {
    /// The error as the log shows it: a forbidden request for an event that a flow hides from players does not name the event.
    /// `hidden` are the names that the flow of the session hides; nil if it hides none, or if the session does not exist.
    package func forLog(hiding hidden: HiddenNames?) -> RequestError {
        guard case .forbidden(.event(let event), let source, let needs) = self,
            hidden?.hidesEvent(event) == true
        else { return self }
        // The right that is missing may name the event, too.
        let shownNeeds: NeededRight =
            needs == .right("play with \(event)") ? .right("play with it") : needs
        return .forbidden(.event("send a hidden event"), source: source, needs: shownNeeds)
    }
}

extension RequestError.RequestedAction {
    fileprivate var member: Member {
        switch self {
        case .event(let event): Member("event", event)
        case .method(let method): Member("method", method)
        }
    }
}

extension RequestError {
    /// The error's number in journals and protocols. A number is never reused for another error, because later
    /// versions read the journals.
    public var number: Int {
        switch self {
        case .noTransition: 1
        case .invalid: 2
        case .hookRefused: 3
        case .forbidden: 4
        case .unknownSession: 5
        case .unknownEvent: 6
        case .finished: 7
        case .stale, .staleEntry, .staleID: 8
        case .deferQueueFull: 9
        case .exists: 10
        case .limit: 11
        case .storage: 12
        case .unknownFlow: 13
        case .notVirtual: 14
        case .unknownState: 15
        case .elsewhere: 16
        }
    }
}
