/// Counts of what happened in simulations, by name.
public struct Counts: Sendable {
    /// The names in the order in which they were counted first.
    public var names: [String] = []
    private var numbers: [String: Int] = [:]

    public init() {}

    public subscript(_ name: String) -> Int {
        get { numbers[name] ?? 0 }
        set {
            if numbers[name] == nil { names.append(name) }
            numbers[name] = newValue
        }
    }

    public mutating func add(_ other: Counts) {
        for name in other.names { self[name] += other[name] }
    }

    /// One line for each name, in alphabetical order.
    public var lines: [String] { names.sorted().map { "\($0): \(self[$0])" } }
}
