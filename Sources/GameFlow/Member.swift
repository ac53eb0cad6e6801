/// A name and its value, in an object that preserves the order of its members.
public struct Member: Hashable, Sendable {
    public let name: String
    public let value: Value

    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension Member {
    @inlinable public init(_ name: String, _ number: Int) { self.init(name, .int(number)) }
    @inlinable public init(_ name: String, _ text: String) { self.init(name, .string(text)) }
    @inlinable public init(_ name: String, _ truth: Bool) { self.init(name, .bool(truth)) }
}

extension Member: CustomStringConvertible {
    public var description: String { "\(name.debugDescription):\(value)" }
}

extension Array where Element == Member {
    /// The value with the name `name`; nil if there is none.
    public subscript(_ name: String) -> Value? { first { $0.name == name }?.value }
}
