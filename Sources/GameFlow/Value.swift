internal import Support

/// A value in an event's arguments or in a state's data. Two texts are equal if their bytes are equal, and so are the names of
/// members; `==` of strings, which also holds for texts that are canonically equivalent, is not used.
///
/// Numbers are integers within ±(2^53 − 1), because flows have no fractions and a client's double must hold
/// each number exactly. Other JSON, such as a fraction, becomes `unfit`, with the reason and the original text.
public enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case string(String)
    case array([Value])
    case object([Member])
    /// Allocated separately: the case is rare and would double the size of every value.
    /// `why` says what is wrong, and `raw` is the original text.
    indirect case unfit(_ why: String, raw: String)

    /// The largest integer that every client can represent exactly, 2^53 − 1.
    public static let largest = 9_007_199_254_740_991

    /// The explanation of the first unfit value, which may be nested in arrays and objects; nil if no value is unfit.
    public var flaw: String? {
        switch self {
        case .unfit(let why, _): return why
        case .array(let values): return values.lazy.compactMap(\.flaw).first
        case .object(let members): return members.lazy.compactMap(\.value.flaw).first
        case .null, .bool, .int, .string: return nil
        }
    }

    /// The text of a string; nil for any other value, including an unfit string.
    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The nesting depth of arrays and objects: 0 for any other value, 1 for an empty array or object.
    public var depth: Int {
        switch self {
        case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.lazy.map(\.value.depth).max() ?? 0)
        case .null, .bool, .int, .string, .unfit: 0
        }
    }
}

extension Value {
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        case (.unfit(let aWhy, let a), .unfit(let bWhy, let b)):
            aWhy.hasSameBytes(as: bWhy) && a.hasSameBytes(as: b)
        case (.null, _), (.bool, _), (.int, _), (.string, _), (.array, _), (.object, _),
            (.unfit, _):
            false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let truth): hasher.combine(truth)
        case .int(let number): hasher.combine(number)
        case .string(let text): hasher.combine(bytesOf: text)
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        case .unfit(_, let raw): hasher.combine(bytesOf: raw)
        }
    }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    public init(integerLiteral number: Int) { self = .int(number) }
    public init(stringLiteral text: String) { self = .string(text) }
    public init(booleanLiteral truth: Bool) { self = .bool(truth) }
}

/// The text of a value in a sentence. `JSONWriter` writes values as JSON.
extension Value: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let truth): "\(truth)"
        case .int(let number): "\(number)"
        case .string(let text): text.debugDescription
        case .unfit(_, let raw): raw
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map(\.description).joined(separator: ",") + "}"
        }
    }
}

/// A name and its value, in an object that preserves the order of its members.
public struct Member: Hashable, Sendable {
    public let name: String
    public let value: Value

    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// Whether the member has the name that a flow declares. Such a name is ASCII. A text that is canonically equivalent to it has
    /// more bytes unless it is the same text, so the number of bytes is compared, which is faster than to compare the bytes.
    @inlinable public func isNamed(_ declaredName: String) -> Bool {
        name == declaredName && name.utf8.count == declaredName.utf8.count
    }

    public static func == (a: Member, b: Member) -> Bool {
        a.name.hasSameBytes(as: b.name) && a.value == b.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: name)
        hasher.combine(value)
    }
}

extension Member {
    @inlinable public init(_ name: String, _ number: Int) { self.init(name, .int(number)) }
    @inlinable public init(_ name: String, _ text: String) { self.init(name, .string(text)) }
    @inlinable public init(_ name: String, _ truth: Bool) { self.init(name, .bool(truth)) }
    @inlinable public init(_ name: String, _ value: some Argument) { self.init(name, value.value) }
}

extension Member: CustomStringConvertible {
    public var description: String { "\(name.debugDescription):\(value)" }
}

extension Array where Element == Member {
    /// The value with the name `name`; nil if no member has this name.
    public subscript(_ name: String) -> Value? { first { $0.name.hasSameBytes(as: name) }?.value }
}
