/// An invariant that does not hold.
public struct InvariantViolation: Error, CustomStringConvertible {
    public let what: String
    init(_ what: String) { self.what = what }
    public var description: String { what }
}

func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(InvariantViolation) {
    if !holds { throw InvariantViolation(what()) }
}
