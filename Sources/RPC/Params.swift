internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// The validated parameters of a request: all of them belong to the method, and each value has the
/// right type.
///
/// The parameters of a JSON-RPC request stay in the parsed text. A value is made only when a handler asks for it,
/// because most are read once and some never. The parameters of the text dialect are values from the beginning. One
/// `Params` is reused for all requests.
struct Params: ~Copyable {
    /// Where the values are stored: in the request's JSON text, or in `members`.
    private enum Origin { case text, members }

    /// The parsed text of a JSON-RPC request.
    var text = JSONText()
    /// The values of a request of the text dialect.
    private var members: [Member] = []
    private var origin = Origin.text
    /// The parameters that were given.
    private var given: ParameterSet = []
    /// The location of the value of each parameter that was given: its node in `text`, or its index in
    /// `members`. The size is the number of bits of a `ParameterSet`.
    private var locations = [Int](repeating: 0, count: 64)

    /// Reads the parameters from the node `object` of `text`; nil means no parameters. Checks that
    /// all required ones are given, that none is unknown, and that each value has the right type.
    mutating func read(_ object: Int?, of method: Method) throws(CallError) {
        begin(.text)
        if let object { try read(object, method.allParameters) }
        try checkRequired(method.requiredParameters)
    }

    /// Reads parameters that are already values, and makes the same checks.
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

    private mutating func begin(_ origin: Origin) {
        self.origin = origin
        given = []
    }

    private mutating func setLocation(of parameter: Parameter, _ location: Int) {
        given.insert(parameter)
        locations[Int(parameter.rawValue)] = location
    }

    /// Reads the parameters from the members of a JSON object.
    private mutating func read(_ object: Int, _ methodParameters: ParameterSet)
        throws(CallError)
    {
        var nextName = text.first(in: object)
        while let name = nextName {
            // The node of a member's value follows the node of its name.
            guard
                let parameter = methodParameters.first(where: {
                    text.isString($0.name, at: name)
                })
            else {
                throw ParameterSet.unknown(text.string(at: name) ?? "")
            }
            try parameter.check(parameter.kind.typeMismatch(of: name + 1, in: text))
            setLocation(of: parameter, name + 1)
            nextName = text.next(after: name + 1, in: object)
        }
    }

    private func checkRequired(_ required: ParameterSet) throws(CallError) {
        if let missing = required.subtracting(given).first(where: { _ in true }) {
            throw .invalidParams("\(missing.name): missing")
        }
    }

    // MARK: values

    private func location(_ parameter: Parameter) -> Int? {
        given.contains(parameter) ? locations[Int(parameter.rawValue)] : nil
    }

    func has(_ parameter: Parameter) -> Bool { given.contains(parameter) }

    func text(_ parameter: Parameter) -> String? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .text: return text.string(at: location)
        case .members: return members[location].value.text
        }
    }

    /// The value of a parameter; nil if it was not given.
    func value(_ parameter: Parameter) -> Value? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .text: return text.value(at: location)
        case .members: return members[location].value
        }
    }

    /// The text of a required parameter. `read` has checked that it is given.
    func required(_ parameter: Parameter) -> String { text(parameter) ?? "" }

    func int(_ parameter: Parameter) -> Int? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .text: return text.int(at: location)
        case .members:
            guard case .int(let number) = members[location].value else { return nil }
            return number
        }
    }

    func isTrue(_ parameter: Parameter) -> Bool {
        guard let location = location(parameter) else { return false }
        switch origin {
        case .text: return text.value(at: location) == .bool(true)
        case .members: return members[location].value == .bool(true)
        }
    }

    func object(_ parameter: Parameter) -> [Member] {
        guard let location = location(parameter) else { return [] }
        switch origin {
        case .text: return text.object(at: location)
        case .members:
            guard case .object(let members) = members[location].value else { return [] }
            return members
        }
    }

    func texts(_ parameter: Parameter) -> [String]? {
        guard let location = location(parameter) else { return nil }
        switch origin {
        case .text: return text.children(of: location).map { text.string(at: $0) ?? "" }
        case .members:
            guard case .array(let values) = members[location].value else { return nil }
            return values.map { $0.text ?? "" }
        }
    }

    // MARK: common parameters

    /// A session's name; `main` if none is given.
    func session(_ parameter: Parameter = .session) throws(CallError) -> SessionName {
        guard let text = text(parameter) else { return .main }
        guard let session = SessionName(text) else {
            throw .invalidParams("\(parameter.name): expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return session
    }

    /// A session's name, or `*` for all sessions.
    func target() throws(CallError) -> WatchTarget {
        text(.session) == "*" ? .all : .session(try session())
    }

    /// A duration such as `30s`.
    func interval(_ parameter: Parameter) throws(CallError) -> Duration? {
        guard let text = text(parameter) else { return nil }
        guard let interval = DurationText.read(text) else {
            throw .invalidParams(
                "\(parameter.name): expected a duration such as 30s, 250ms or 1h30m, at most 10 years"
            )
        }
        return interval
    }

    /// A number that is not negative.
    func count(_ parameter: Parameter) throws(CallError) -> Int? {
        guard let number = int(parameter) else { return nil }
        guard number >= 0 else { throw .invalidParams("\(parameter.name): negative") }
        return number
    }
}

extension ParameterSet {
    /// The parameter with that name. Throws if the method has no such parameter.
    func parameter(named name: String) throws(CallError) -> Parameter {
        guard let parameter = first(where: { $0.name.description == name }) else {
            throw Self.unknown(name)
        }
        return parameter
    }

    static func unknown(_ name: String) -> CallError { .invalidParams("\(name): unknown") }
}

extension Parameter {
    /// Throws an error with the reason `why`, which says why the value has the wrong type. Does nothing if `why` is nil.
    func check(_ why: String?) throws(CallError) {
        if let why { throw .invalidParams("\(name): \(why)") }
    }
}

extension Parameter.Kind {
    /// The reason why the value at a node has the wrong type; nil if the type is right.
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

    /// The reason why a value has the wrong type; nil if the type is right.
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
