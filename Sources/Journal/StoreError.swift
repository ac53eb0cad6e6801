/// The reason why a store did not execute a call.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of the failure, which determines the reaction to it.
    public enum Kind: Equatable, Sendable {
        /// There is no space left.
        case full
        /// Another process has the store open.
        case busy
        /// The stored data is not what was written.
        case damaged
        /// The store has failed or is closed: it does nothing until `recover` has succeeded.
        case out
        case other
    }

    public let kind: Kind
    /// A message for people.
    public let why: String

    public init(_ kind: Kind, why: String) { (self.kind, self.why) = (kind, why) }

    public var isFull: Bool { kind == .full }
    public var description: String { why }
}
