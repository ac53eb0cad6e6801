/// Why a store did not do what it was asked.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What to do about it depends on this.
    public enum Kind: Equatable, Sendable {
        /// There is no room left.
        case full
        /// Somebody else has it open.
        case busy
        /// What is there is not what was written.
        case damaged
        /// It has failed, or is closed: nothing is done before `recover` has worked.
        case out
        case other
    }

    public let kind: Kind
    /// For people.
    public let why: String

    public init(_ kind: Kind, why: String) { (self.kind, self.why) = (kind, why) }

    public var isFull: Bool { kind == .full }
    public var description: String { why }
}
