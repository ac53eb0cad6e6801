public import GameFlow

/// Why a `SessionHost` has not done what it was asked to do. Two refusals are equal if they have the same code.
public struct HostRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// A machine of this name is open, or the store has one that `restore` brings back.
        case exists
        /// No machine of this name is open.
        case unknown
        /// The name, the state, the id or a stored snapshot cannot be used.
        case invalid
        /// The machine refuses the event; `reason` says why.
        case refused
        /// The machine has entered a state since the visit for which the event was meant, or the answer to a request with this id is
        /// forgotten.
        case stale
        /// The store does not work. Nothing has changed.
        case storage
        /// Too many requests for the machine wait already (`SessionHost.waitingLimit`).
        case limit
    }

    public let code: Code
    /// The machine's reason; nil for any other code than `refused` and `invalid`.
    public let reason: Reason?
    /// A sentence for people.
    public let description: String

    init(_ code: Code, _ description: String, _ reason: Reason? = nil) {
        (self.code, self.description, self.reason) = (code, description, reason)
    }

    public static func == (a: HostRefusal, b: HostRefusal) -> Bool { a.code == b.code }

    public static let exists = HostRefusal(.exists, "a machine of this name is open")
    public static let unknown = HostRefusal(.unknown, "no machine of this name is open")
    public static let invalid = HostRefusal(
        .invalid, "the name, the state or the id cannot be used")
    public static let refused = HostRefusal(.refused, "the machine refuses the event")
    public static let stale = HostRefusal(.stale, "a state was entered since")
    public static let storage = HostRefusal(
        .storage, "the store does not work; nothing has changed")
    public static let limit = HostRefusal(.limit, "too many requests for this machine wait")
}
