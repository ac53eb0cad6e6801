/// What can stand in an event's arguments or a state's data.
///
/// Numbers are integers within ±(2^53 − 1): no flow has a fraction, and what a client's double cannot
/// hold exactly is not let in. What is JSON and yet no value here is `unfit`, says why, and
/// is handed on as it was written.
public enum Value: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case string(String)
    case array([Value])
    case object([Member])
    case unfit(_ why: String, raw: String)

    /// The largest integer that every client can hold exactly, 2^53 − 1.
    public static let largest = 9_007_199_254_740_991

    /// The first unfit value in it, looking into arrays and objects: why it cannot be taken.
    public var flaw: String? {
        switch self {
        case .unfit(let why, _): return why
        case .array(let values): return values.lazy.compactMap(\.flaw).first
        case .object(let members): return members.lazy.compactMap(\.value.flaw).first
        case .null, .bool, .int, .string: return nil
        }
    }

    /// What kind of JSON it is written as.
    public var kind: JSONText.Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .number
        case .string: .string
        case .array: .array
        case .object: .object
        case .unfit(_, let raw): raw.utf8.first == UInt8(ascii: "\"") ? .string : .number
        }
    }

    /// The text of a string; nil of anything else, and of a string that is unfit.
    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// How deep arrays and objects nest in it: 0 of anything else, 1 of an empty one.
    public var depth: Int {
        switch self {
        case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.lazy.map(\.value.depth).max() ?? 0)
        case .null, .bool, .int, .string, .unfit: 0
        }
    }
}

/// A name and its value, in an object whose order is kept.
public struct Member: Equatable, Sendable {
    public let name: String
    public let value: Value

    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension Array where Element == Member {
    /// The value of that name; nil if there is none.
    public subscript(_ name: String) -> Value? { first { $0.name == name }?.value }
}
