internal import Timers

/// The type of an event argument or of a value in a state's data.
///
/// An enum of names only has to declare conformance: `enum Screen: String, CaseIterable, Argument`.
public protocol Argument {
    /// The type's name for clients: `integer`, `string`, `boolean`, `array`, `object`.
    static var type: String { get }
    /// All possible values, if the type can list them; forms offer them as a choice.
    static var values: [String] { get }
    /// Sample values, with which the flow survey calls a selector.
    static var samples: [Self] { get }
    /// Creates an argument from a value; throws if the value does not fit the type.
    init(_ value: Value) throws(ArgumentError)
    /// The value from which the same argument can be created.
    var value: Value { get }
}

extension Argument {
    public static var values: [String] { [] }
}

/// The error for a value that does not fit the type of an argument.
public struct ArgumentError: Error, Equatable {
    public let why: String
    @inlinable public init(_ why: String) { self.why = why }

    /// Returns the error for a value of the wrong type.
    public static func expected(_ type: String, _ value: Value) -> ArgumentError {
        ArgumentError(value.flaw ?? "expected \(type)")
    }
}

extension Int: Argument {
    public static var type: String { "integer" }
    public static var samples: [Int] { [1] }
    @inlinable public init(_ value: Value) throws(ArgumentError) {
        guard case .int(let number) = value else { throw .expected("an integer", value) }
        self = number
    }
    public var value: Value { .int(self) }
}

extension Bool: Argument {
    public static var type: String { "boolean" }
    public static var samples: [Bool] { [true, false] }
    @inlinable public init(_ value: Value) throws(ArgumentError) {
        guard case .bool(let truth) = value else { throw .expected("true or false", value) }
        self = truth
    }
    public var value: Value { .bool(self) }
}

extension String: Argument {
    public static var type: String { "string" }
    public static var samples: [String] { ["x"] }
    @inlinable public init(_ value: Value) throws(ArgumentError) {
        guard case .string(let text) = value else { throw .expected("a string", value) }
        self = text
    }
    public var value: Value { .string(self) }
}

extension Argument where Self: RawRepresentable<String> & CaseIterable {
    public static var type: String { "string" }
    public static var values: [String] { allCases.map(\.rawValue) }
    public static var samples: [Self] { Array(allCases) }
    public init(_ value: Value) throws(ArgumentError) {
        let text = try String(value)
        guard let known = Self(rawValue: text) else {
            throw ArgumentError("expected one of \(Self.values.joined(separator: ", "))")
        }
        self = known
    }
    public var value: Value { .string(rawValue) }
}

extension [String]: Argument {
    public static var type: String { "array" }
    public static var samples: [[String]] { [[], ["x"]] }
    public init(_ value: Value) throws(ArgumentError) {
        guard case .array(let values) = value else { throw .expected("an array of strings", value) }
        self = []
        for value in values { append(try String(value)) }
    }
    public var value: Value { .array(map(\.value)) }
}

/// A remaining time: whole milliseconds, at least one.
extension Duration: Argument {
    public static var type: String { "integer" }
    public static var samples: [Duration] { [.seconds(5)] }
    public init(_ value: Value) throws(ArgumentError) {
        let milliseconds = try Int(value)
        guard 1...Duration.longest.milliseconds ~= Int64(milliseconds) else {
            throw ArgumentError("not within 1…\(Duration.longest.milliseconds)")
        }
        self = .milliseconds(Int64(milliseconds))
    }
    public var value: Value { .int(Int(milliseconds)) }
}
