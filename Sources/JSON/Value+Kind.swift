public import GameFlow

extension Value {
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
}
