internal import Timers

/// The type of an event argument or of a value in a state's data.
///
/// An enum whose raw values are strings only has to declare conformance: `enum Screen: String, CaseIterable, Argument`.
public protocol Argument: Sendable {
    /// The type's name for clients: `integer`, `string`, `boolean`, `array`, `object`.
    static var type: String { get }
    /// All possible values, which forms offer as a choice; empty if the type cannot list them.
    static var values: [String] { get }
    /// Sample values, with which the survey of a flow (`FlowSurvey`) calls the flow's selector.
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
    /// What is wrong with the value, as it follows the argument's name in a message: `expected an integer`.
    public let why: String
    @inlinable public init(_ why: String) { self.why = why }

    /// Returns the error for a value that is not `type`, such as "an integer". For an unfit value (`Value.unfit`), the error
    /// says why the value is unfit.
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
        guard let match = Self(rawValue: text) else {
            throw ArgumentError("expected one of \(Self.values.joined(separator: ", "))")
        }
        self = match
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

/// A duration as an argument or in data: whole milliseconds, at least one. `Duration.longest` is the longest duration of a
/// timer: ten years.
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

/// An event's arguments or a state's data, read by name: `try data("episode")`.
///
/// The code that reads a state's data is also the declaration of these data. To find the fields of the data, a `Sampler` runs
/// this code with special `Arguments`. These `Arguments` return sample values, and record the name and type of each field that
/// the code reads.
public struct Arguments {
    /// The values with their names; empty if there is a sampler.
    private let members: [Member]
    /// Chooses the sample values, and records the fields; nil if the values are real.
    private let sampler: Sampler?
    /// Whether these are the data of a state as they were recorded. Then a datum that is missing was null, whatever its default is.
    package let areRecorded: Bool

    public init(_ members: [Member] = []) {
        self.members = members
        (sampler, areRecorded) = (nil, false)
    }

    /// The data of a recorded state.
    @usableFromInline package init(recorded members: [Member]) {
        self.members = members
        (sampler, areRecorded) = (nil, true)
    }

    init(sampledBy sampler: Sampler) {
        members = []
        (self.sampler, areRecorded) = (sampler, false)
    }

    /// Returns the argument or datum with the name `name`. Throws `invalid` if it is missing or does not fit the type. Pass
    /// `samples` if the flow would refuse the type's own samples; an empty list stands for the type's own samples.
    public func callAsFunction<A: Argument>(_ name: String, samples: [A] = A.samples)
        throws(Reason) -> A
    {
        if let sampler { return sampler.sample(name, samples) }
        guard let value = members[name] else { throw .invalid(name, "missing") }
        return try read(name, value)
    }

    /// Returns the argument or datum with the name `name`; nil if it was not given. Throws `invalid` if it does not fit the
    /// type.
    public func optional<A: Argument>(_ name: String, samples: [A] = A.samples)
        throws(Reason) -> A?
    {
        if let sampler { return sampler.sampleOptional(name, samples) }
        guard let value = members[name] else { return nil }
        return try read(name, value)
    }

    /// Returns the argument or datum with the name `name`, which must be one of `values`.
    func value(_ name: String, of values: [Value]) throws(Reason) -> Value {
        if let sampler { return sampler.sample(name, values) }
        guard let value = members[name] else { throw .invalid(name, "missing") }
        guard values.contains(value) else {
            let texts = values.map { $0.text ?? "\($0)" }
            throw .invalid(name, value.flaw ?? "expected one of \(texts.joined(separator: ", "))")
        }
        return value
    }

    /// Returns the value of a field as the value was given; nil if no value was given. This is for a field whose type is known
    /// only at run time. The value is not checked. `samples` are the field's sample values.
    package func value(_ field: Field, samples: [Value]) -> Value? {
        sampler.map { $0.sample(field, samples) } ?? members[field.name]
    }

    private func read<A: Argument>(_ name: String, _ value: Value) throws(Reason) -> A {
        do { return try A(value) } catch { throw .invalid(name, error.why) }
    }
}

/// A parameter of an event or a datum of a state, as clients see it: its name, its type and its limits.
public struct Field: Equatable, Sendable {
    public let name: String
    /// The type's name for clients; see `Argument.type`.
    public let type: String
    /// All possible values; empty if the type cannot list them.
    public let values: [String]
    /// Whether the field may be left out.
    public let isOptional: Bool
    /// The allowed range of an integer, or of a text's length in Unicode scalars; nil if none is declared.
    public private(set) var limits: ClosedRange<Int>?
    /// The value of a field that is left out; nil if none is declared.
    public private(set) var defaultValue: Value?
    /// Whether it is a datum that every state of the flow carries.
    public private(set) var isOfFlow = false
    /// Whether the entries of an array are integers, and not texts.
    package private(set) var hasIntegers = false
    /// Whether each name in an object is a value that the flow declares.
    package private(set) var hasDeclaredNames = false

    /// Creates a field whose type is a Swift type.
    @usableFromInline init<A: Argument>(_ name: String, _ type: A.Type, isOptional: Bool = false) {
        self.name = name
        self.type = A.type
        values = A.values
        self.isOptional = isOptional
    }

    /// Creates the field of a value whose type is known only at run time.
    package init(
        _ name: String, type: String, values: [String], isOptional: Bool,
        limits: ClosedRange<Int>? = nil, defaultValue: Value? = nil, isOfFlow: Bool = false,
        hasIntegers: Bool = false, hasDeclaredNames: Bool = false
    ) {
        (self.hasIntegers, self.hasDeclaredNames) = (hasIntegers, hasDeclaredNames)
        (self.name, self.type, self.values, self.isOptional) = (name, type, values, isOptional)
        (self.limits, self.defaultValue, self.isOfFlow) = (limits, defaultValue, isOfFlow)
    }

    /// Creates the field of a value that must be one of `values`, which all have the same type.
    init(_ name: String, oneOf values: [Value]) {
        self.name = name
        type =
            switch values.first {
            case .int: Int.type
            case .bool: Bool.type
            default: String.type
            }
        // `Field.values` has texts only: for integers and booleans it is empty.
        self.values = values.compactMap(\.text)
        isOptional = false
    }
}

extension [Member] {
    /// Throws if a member has a name that is not in `fields`.
    @usableFromInline package func checkNames(in fields: [Field]) throws(Reason) {
        for member in self where !fields.contains(where: { member.isNamed($0.name) }) {
            // `namingDurations(in:)` has found no duration in a member with such a name.
            let isDuration =
                fields.duration(withShortName: member.name).map { self[$0.name] == nil } ?? false
            let why =
                isDuration
                ? "expected a duration such as 90s or 1h30m, at most 10 years" : "unknown"
            throw .invalid(member.name, why)
        }
    }
}
