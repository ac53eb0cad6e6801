public import GameFlow

/// Why a request was refused: the errors of the project, each with the data that a client is told.
public enum RequestError: Error {
    /// What an invalid argument belonged to.
    public enum Subject: Sendable {
        case event(String)
        case state(String)
    }

    /// What somebody wanted to do.
    public enum Asked: Sendable {
        case event(String)
        case method(String)
    }

    case noTransition(event: String, state: String, accepts: [String], last: LastChange?)
    case invalid(Subject, argument: String, why: String)
    case hookRefused(hook: String, why: String)
    /// The state's timer alone may send this event, or the peer may not do this.
    case forbidden(Asked, source: Source.Kind, needs: String)
    case unknownSession(String, didYouMean: [String])
    case unknownEvent(String, didYouMean: [String])
    case finished(state: String)
    case stale(ageMs: Int, limitMs: Int)
    case deferQueueFull(limit: Int)
    case exists(String)
    case limit(which: String, limit: Int)
    case unknownFlow(String, didYouMean: [String])
    case notVirtual
    /// The change could not be made durable, or, with the outcome `unknown`, nobody can say.
    case storage(why: String, outcome: StorageOutcome)
    case unknownState(String, didYouMean: [String])

    /// What became of a change that could not be made durable.
    public enum StorageOutcome: String, Sendable {
        /// It has not happened.
        case undone
        /// It may have happened: whoever sends it again with its id finds out.
        case unknown
    }

    /// The number that stands for it on the wire.
    public var code: Int {
        switch self {
        case .noTransition: 1
        case .invalid: 2
        case .hookRefused: 3
        case .forbidden: 4
        case .unknownSession: 5
        case .unknownEvent: 6
        case .finished: 7
        case .stale: 8
        case .deferQueueFull: 9
        case .exists: 10
        case .limit: 11
        case .storage: 12
        case .unknownFlow: 13
        case .notVirtual: 14
        case .unknownState: 15
        }
    }

    /// The name that stands for it on the wire.
    public var name: StaticString {
        switch self {
        case .noTransition: "noTransition"
        case .invalid: "invalid"
        case .hookRefused: "hookRefused"
        case .forbidden: "forbidden"
        case .unknownSession: "unknownSession"
        case .unknownEvent: "unknownEvent"
        case .finished: "finished"
        case .stale: "stale"
        case .deferQueueFull: "deferQueueFull"
        case .exists: "exists"
        case .limit: "limit"
        case .storage: "storage"
        case .unknownFlow: "unknownFlow"
        case .notVirtual: "notVirtual"
        case .unknownState: "unknownState"
        }
    }
}
