/// What can stand in an event's arguments or a state's data.
///
/// Numbers are integers within ±(2^53 − 1): no flow has a fraction, and what a client's double cannot
/// hold exactly is not let in. What a text says and is yet no value here is `unfit`, says why, and
/// is handed on as it was written.
public enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case string(String)
    case array([Value])
    case object([Member])
    /// In memory of its own: it is rare, and would double the size of every value.
    indirect case unfit(_ why: String, raw: String)

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

/// How a value reads in a sentence; what programs read is written by `JSONWriter`.
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
