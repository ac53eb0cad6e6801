/// A value in an event's arguments or in a state's data.
///
/// Numbers are integers within ±(2^53 − 1), because flows have no fractions and a client's double must hold
/// each number exactly. JSON that is not such a value becomes `unfit`, with the reason and the original text.
public enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case string(String)
    case array([Value])
    case object([Member])
    /// Allocated separately: the case is rare and would double the size of every value.
    indirect case unfit(_ why: String, raw: String)

    /// The largest integer that every client can represent exactly, 2^53 − 1.
    public static let largest = 9_007_199_254_740_991

    /// The explanation of the first unfit value, including those in nested arrays and objects; nil if there is
    /// none.
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

/// The text of a value in a sentence. `JSONWriter` writes values for programs.
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
