public import GameFlow
internal import JSONCoding
public import Sessions
internal import Support
internal import Timers

/// The validated parameters of a request. Each parameter belongs to the method, no required parameter is missing, and each
/// value has the right type.
///
/// The parameters of a JSON-RPC request stay in the parsed text. A value is made only when a handler asks for it: most values
/// are read once, and some are never read. The parameters of the text dialect are values from the beginning. One `Params` is
/// reused for all requests.
public struct Params: ~Copyable {
    /// Where the values are stored: in `json`, or in `members`.
    enum Origin { case json, members }

    /// The parsed text of a JSON-RPC request.
    var json = JSONText()
    /// The values of a request of the text dialect.
    private var members: [Member] = []
    private var origin = Origin.json
    /// The parameters that were given.
    private var givenParameters: ParameterSet = []
    /// Where the value of each given parameter is: the number of the value's node in `json`, or its index in `members`. The
    /// index in this array is `Parameter.rawValue`. The array has an element for each bit of a `ParameterSet`.
    private var locations = [Int](repeating: 0, count: 64)
    /// The names that were not expected among the members of the request that is read now, and among its parameters.
    var unexpectedMembers = UnexpectedNames()
    var unexpectedParameters = UnexpectedNames()
    /// The keys of all parameters, and the parameters that are texts. Copies, because each access to a global variable checks
    /// whether it was initialized.
    private let keys = Parameter.allCases.map(\.key)
    let texts = ParameterSet(Parameter.allCases.filter { $0.kind == .text })

    /// Reads parameters that are values already, and makes the same checks as for a JSON-RPC request.
    mutating func read(_ members: [Member], of method: Method) throws(CallError) {
        begin(.members)
        guard Value.object(members).depth <= JSONText.depthLimit else { throw CallError(.tooDeep) }
        self.members = members
        let methodParameters = method.allParameters
        for (index, member) in members.enumerated() {
            let parameter = try methodParameters.parameter(named: member.name)
            try parameter.check(parameter.kind.typeMismatch(of: member.value))
            setLocation(of: parameter, index)
        }
        try checkRequired(method.requiredParameters)
    }

    /// Forgets the parameters of the previous request.
    mutating func begin(_ origin: Origin) {
        self.origin = origin
        givenParameters = []
    }

    /// Stores where the value of a parameter is.
    mutating func setLocation(of parameter: Parameter, _ location: Int) {
        givenParameters.insert(parameter)
        locations[Int(parameter.rawValue)] = location
    }

    /// The parameter among these that has the name `name` in `json`; nil if none of them has it.
    func parameter(named name: JSONMembers.Name, among parameters: ParameterSet) -> Parameter? {
        if name.hasEscapes { return try? parameters.parameter(named: json.string(of: name)) }
        let key = json.key(of: name)
        return parameters.first { parameter in
            keys[Int(parameter.rawValue)] == key
                && (key.isWhole || json.isName(parameter.name, name))
        }
    }

    /// Throws if a required parameter was not given.
    func checkRequired(_ required: ParameterSet) throws(CallError) {
        if let missing = required.subtracting(givenParameters).first(where: { _ in true }) {
            throw .invalidParams("\(missing.name): missing")
        }
    }

    // MARK: values

    /// The location of the parameter's value; nil if the parameter was not given.
    private func location(_ parameter: Parameter) -> Int? {
        givenParameters.contains(parameter) ? locations[Int(parameter.rawValue)] : nil
    }

    /// Whether the parameter was given.
    public func has(_ parameter: Parameter) -> Bool { givenParameters.contains(parameter) }

    /// The value of a text parameter; nil if the parameter was not given.
    public func text(_ parameter: Parameter) -> String? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .json: return json.string(at: location)
        case .members: return members[location].value.text
        }
    }

    /// The value of a parameter; nil if it was not given.
    public func value(_ parameter: Parameter) -> Value? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .json: return json.value(at: location)
        case .members: return members[location].value
        }
    }

    /// The text of a required parameter. `read` has checked that the parameter was given.
    public func required(_ parameter: Parameter) -> String { text(parameter) ?? "" }

    /// The value of an integer parameter; nil if the parameter was not given.
    public func int(_ parameter: Parameter) -> Int? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .json: return json.int(at: location)
        case .members:
            guard case .int(let number) = members[location].value else { return nil }
            return number
        }
    }

    /// Whether the parameter was given with the value `true`.
    public func isTrue(_ parameter: Parameter) -> Bool {
        guard let location = location(parameter) else { return false }
        switch origin {
        case .json: return json.value(at: location) == .bool(true)
        case .members: return members[location].value == .bool(true)
        }
    }

    /// The members of an object; empty if the parameter was not given.
    public func object(_ parameter: Parameter) -> [Member] {
        guard let location = location(parameter) else { return [] }
        switch origin {
        case .json: return json.object(at: location)
        case .members:
            guard case .object(let members) = members[location].value else { return [] }
            return members
        }
    }

    /// The elements of an array of texts; nil if the parameter was not given.
    public func texts(_ parameter: Parameter) -> [String]? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .json: return json.children(of: location).map { json.string(at: $0) ?? "" }
        case .members:
            guard case .array(let values) = members[location].value else { return nil }
            return values.map { $0.text ?? "" }
        }
    }

    // MARK: finding by bytes

    /// Calls `find` with the bytes of a text parameter in JSON that has no escapes. Returns its result; nil in any other case.
    /// What many requests name is so found without making a text of the name.
    func find<Found>(
        _ parameter: Parameter, _ find: (UnsafeBufferPointer<UInt8>) -> Found?
    ) -> Found? {
        guard origin == .json, let location = location(parameter) else { return nil }
        return json.withPlainString(at: location, find)
    }

    // MARK: common parameters

    /// A session's name; `main` if none is given.
    public func session(_ parameter: Parameter = .session) throws(CallError) -> SessionName {
        guard let text = text(parameter) else { return .main }
        guard let session = SessionName(text) else {
            throw .invalidParams("\(parameter.name): expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return session
    }

    /// A session's name, or `*` for all sessions.
    public func target() throws(CallError) -> WatchTarget {
        text(.session) == "*" ? .all : .session(try session())
    }

    /// A duration, which is written such as `30s`; nil if the parameter was not given.
    public func duration(_ parameter: Parameter) throws(CallError) -> Duration? {
        guard let text = text(parameter) else { return nil }
        guard let duration = DurationText.read(text) else {
            throw .invalidParams(
                "\(parameter.name): expected a duration such as 30s, 250ms or 1h30m, at most 10 years"
            )
        }
        return duration
    }

    /// A number that must not be negative; nil if the parameter was not given.
    public func count(_ parameter: Parameter) throws(CallError) -> Int? {
        guard let number = int(parameter) else { return nil }
        guard number >= 0 else { throw .invalidParams("\(parameter.name): negative") }
        return number
    }
}

extension ParameterSet {
    /// The parameter of the set that has this name in requests. Throws if no parameter of the set has it.
    func parameter(named name: String) throws(CallError) -> Parameter {
        guard let parameter = first(where: { $0.name.description == name }) else {
            throw Self.unknown(name)
        }
        return parameter
    }

    /// The error for a parameter that the method does not have.
    static func unknown(_ name: String) -> CallError { .invalidParams("\(name): unknown") }
}

extension Parameter {
    /// Throws an error that names the parameter, with the text of `typeMismatch`; does nothing if the text is nil.
    func check(_ typeMismatch: String?) throws(CallError) {
        if let typeMismatch { throw .invalidParams("\(name): \(typeMismatch)") }
    }
}

extension Parameter.Kind {
    /// The reason why a parameter of this kind cannot have the value at a node of `text`; nil if the value is suitable.
    /// `JSONText.flaw` is the reason why a number or a string is an unfit value, such as a fraction.
    func typeMismatch(of node: Int, in text: borrowing JSONText) -> String? {
        switch (self, text.kind(node)) {
        case (.text, .string), (.integer, .number), (.numberOrCursor, .number),
            (.numberOrCursor, .string):
            text.flaw(at: node)
        case (.boolean, .bool), (.object, .object): nil
        case (.texts, .array):
            text.children(of: node).allSatisfy { text.kind($0) == .string } ? nil : expected
        default: expected
        }
    }

    /// The reason why a value cannot be the value of a parameter of this kind; nil if it can.
    func typeMismatch(of value: Value) -> String? {
        switch (self, value.kind) {
        case (.text, .string), (.integer, .number), (.numberOrCursor, .number),
            (.numberOrCursor, .string):
            return value.flaw
        case (.boolean, .bool), (.object, .object): return nil
        case (.texts, .array):
            guard case .array(let values) = value, values.allSatisfy({ $0.kind == .string }) else {
                return expected
            }
            return nil
        default: return expected
        }
    }

    private var expected: String {
        switch self {
        case .text: "expected a string"
        case .integer: "expected an integer"
        case .numberOrCursor: "expected an integer or a cursor"
        case .boolean: "expected true or false"
        case .object: "expected an object"
        case .texts: "expected an array of strings"
        }
    }
}
