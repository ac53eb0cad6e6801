internal import Timers

/// The type of an argument, a datum, a setting or an expression.
///
/// Values are GameFlow's `Value`: a duration is an integer of milliseconds, a set an array of strings, a tally an
/// object of integers.
package indirect enum DataType: Hashable, Sendable {
    /// A `link` is a text such as `https://example.org`; an `address` is a hardware address of six octets. A `tally` holds an
    /// integer for each name, such as a team's points. A `time` is a time of day such as `20:00`, in the form of `TimeOfDay`.
    case integer, boolean, text, duration, link, address, time, set, tally
    /// A set of some of these texts, which its values have in this order.
    case checklist([String])
    /// Numbers of rows of a table, each once. `rowCount` is the number of the table's rows; 0 until the table is known.
    case order(table: String, rowCount: Int)
    /// One of these texts. A literal text in an expression has the type `oneOf` with this text as its only name.
    case oneOf([String])
    case optional(DataType)
    /// The type of the literal `null`.
    case null
    /// The type of the literal `none`, which is an empty set or an empty tally.
    case emptyCollection

    /// The type as it is written in a file, for messages and for clients. Literals have types that are not written in files: a
    /// single text, `null` and `none`.
    package var name: String {
        switch self {
        case .integer: "integer"
        case .boolean: "boolean"
        case .text: "text"
        case .duration: "duration"
        case .link: "link"
        case .address: "address"
        case .time: "time"
        case .checklist(let names): "checklist of \(names.joined(separator: ", "))"
        case .order(let table, _): "order of \(table)"
        case .set: "set"
        case .tally: "tally"
        case .oneOf(let names):
            names.count == 1 ? "the text '\(names[0])'" : "one of \(names.joined(separator: ", "))"
        case .optional(let type): "optional \(type.name)"
        case .null: "null"
        case .emptyCollection: "none"
        }
    }

    /// The name of the JSON type by which clients send and get values. `null` and `none` are types of literals only, and never
    /// reach a client.
    package var wireName: String {
        switch self {
        case .integer, .duration: "integer"
        case .boolean: "boolean"
        case .text, .link, .address, .time, .oneOf, .null: "string"
        case .set, .checklist, .order, .emptyCollection: "array"
        case .tally: "object"
        case .optional(let type): type.wireName
        }
    }

    /// Whether all values are texts. An optional text is not such a type, because its values can be null.
    var isText: Bool {
        switch self {
        case .text, .link, .address, .oneOf: true
        default: false
        }
    }

    /// Whether all values are sets or checklists, or all are tallies. The empty collection `none` alone is not such a type.
    var isCollection: Bool { self == .set || self == .tally || items != nil }

    /// The items that a checklist can contain; nil for another type.
    var items: [String]? { if case .checklist(let names) = self { names } else { nil } }

    /// Whether the values are orders of a table's rows.
    var isOrder: Bool { if case .order = self { true } else { false } }

    /// The type without `optional`.
    package var unwrapped: DataType {
        if case .optional(let type) = self { type } else { self }
    }

    /// Whether the values can be null.
    package var isOptional: Bool {
        switch self {
        case .optional, .null: true
        default: false
        }
    }

    /// Whether every value of this type is also a value of `other`. The limits of an argument or a datum, such as `0..100`, are
    /// not part of a type. Values are checked against the limits when the flow runs.
    func fits(_ other: DataType) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.null, .optional): return true
        case (.optional(let a), .optional(let b)): return a.fits(b)
        case (_, .optional(let b)): return fits(b)
        case (.emptyCollection, .set), (.emptyCollection, .tally), (.emptyCollection, .checklist),
            (.emptyCollection, .order):
            return true
        case (.checklist, .set): return true
        case (.oneOf, .text): return true
        case (.oneOf(let names), .oneOf(let others)): return names.allSatisfy(others.contains)
        case (.oneOf(let names), .link): return names.allSatisfy(TextForm.isLink)
        case (.oneOf(let names), .address):
            return names.allSatisfy { TextForm.canonicalAddress($0) == $0 }
        case (.oneOf(let names), .time):
            return names.allSatisfy { TimeOfDay($0)?.description == $0 }
        default: return false
        }
    }

    /// The narrowest type that has all values of this type and all values of `other`; nil if there is no such type. This is the
    /// type of the expression `A if C else B`, if A has this type and B has the type `other`.
    func commonType(with other: DataType) -> DataType? {
        if fits(other) { return other }
        if other.fits(self) { return self }
        switch (self, other) {
        case (.null, let type), (let type, .null): return .optional(type)
        case (.optional(let a), let b), (let b, .optional(let a)):
            return a.commonType(with: b.unwrapped).map { .optional($0) }
        case (.oneOf(let names), .oneOf(let others)):
            return .oneOf(names + others.filter { !names.contains($0) })
        default: return nil
        }
    }
}
