public import JSON

/// What can stand in an event's arguments or a state's data.
public protocol Argument {
    /// What clients are told about it: `integer`, `string`, `boolean`.
    static var type: String { get }
    /// Values that are as good as any, to ask a selector what it would say.
    static var samples: [Self] { get }
    /// Reads a value, or says why it cannot be this.
    init(_ value: Value) throws(Misfit)
}

/// Why a value is not what an argument asks for.
public struct Misfit: Error, Equatable {
    public let why: String
    public init(_ why: String) { self.why = why }

    /// The words for a value of the wrong type.
    static func expected(_ type: String, _ value: Value) -> Misfit {
        Misfit(value.flaw ?? "expected \(type)")
    }
}

extension Int: Argument {
    public static var type: String { "integer" }
    public static var samples: [Int] { [1] }
    public init(_ value: Value) throws(Misfit) {
        guard case .int(let number) = value else { throw .expected("an integer", value) }
        self = number
    }
}

extension Bool: Argument {
    public static var type: String { "boolean" }
    public static var samples: [Bool] { [true, false] }
    public init(_ value: Value) throws(Misfit) {
        guard case .bool(let truth) = value else { throw .expected("true or false", value) }
        self = truth
    }
}

extension String: Argument {
    public static var type: String { "string" }
    public static var samples: [String] { ["x"] }
    public init(_ value: Value) throws(Misfit) {
        guard case .string(let text) = value else { throw .expected("a string", value) }
        self = text
    }
}
