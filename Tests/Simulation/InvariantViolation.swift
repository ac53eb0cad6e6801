/// An invariant that does not hold.
public struct InvariantViolation: Error, CustomStringConvertible {
    public let message: String
    init(_ message: String) { self.message = message }
    public var description: String { message }
}

/// Throws an `InvariantViolation` with the message unless `holds`.
func expect(_ holds: Bool, _ message: @autoclosure () -> String) throws(InvariantViolation) {
    if !holds { throw InvariantViolation(message()) }
}
