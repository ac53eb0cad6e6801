internal import JSON
internal import Sessions
internal import Timers

/// A request's parameters, found to be those its method has, each of its kind.
///
/// They stay in the text they were read from, and only what is asked for is made a value: most of a
/// request is looked at once, and some of it never. One is used for request after request.
struct Params: ~Copyable {
    /// The text in which they stand.
    var text = JSONText()
    /// Where each parameter's value stands; -1 of those that were not given. There is room for as many
    /// as a `ParameterSet` has bits.
    private var nodes = InlineArray<32, Int32>(repeating: -1)

    /// Takes the parameters that `object` holds; nil is one without any. Checks that all required ones
    /// are there, none is unknown, and each is of its kind.
    mutating func take(_ object: Int?, of method: Method) throws(CallError) {
        nodes = InlineArray(repeating: -1)
        let known = method.parameters
        if let object { try take(object, known.all) }
        if let lacking = known.required.first(where: { !has($0) }) {
            throw .invalidParams("\(lacking.name): missing")
        }
    }

    private mutating func take(_ object: Int, _ known: ParameterSet) throws(CallError) {
        var at = text.first(in: object)
        while let name = at {
            guard let parameter = known.first(where: { text.says($0.name, at: name) }) else {
                throw .invalidParams("\(text.string(at: name) ?? ""): unknown")
            }
            if let why = parameter.kind.refusal(of: name + 1, in: text) {
                throw .invalidParams("\(parameter.name): \(why)")
            }
            nodes[Int(parameter.rawValue)] = Int32(name + 1)
            at = text.next(after: name + 1, in: object)
        }
    }

    private func node(_ parameter: Parameter) -> Int? {
        let node = nodes[Int(parameter.rawValue)]
        return node < 0 ? nil : Int(node)
    }

    func has(_ parameter: Parameter) -> Bool { node(parameter) != nil }

    func text(_ parameter: Parameter) -> String? {
        guard let node = node(parameter) else { return nil }
        return text.string(at: node)
    }

    /// A text that is known to be there: the method requires it.
    func required(_ parameter: Parameter) -> String { text(parameter) ?? "" }

    func int(_ parameter: Parameter) -> Int? {
        guard let node = node(parameter) else { return nil }
        return text.int(at: node)
    }

    func isTrue(_ parameter: Parameter) -> Bool {
        guard let node = node(parameter) else { return false }
        return text.value(at: node) == .bool(true)
    }

    func object(_ parameter: Parameter) -> [Member] {
        guard let node = node(parameter) else { return [] }
        return text.object(at: node)
    }

    func texts(_ parameter: Parameter) -> [String]? {
        guard let node = node(parameter) else { return nil }
        return text.children(of: node).map { text.string(at: $0) ?? "" }
    }

    // MARK: what several methods ask for

    /// A session's name; `main` where none is given.
    func session(_ parameter: Parameter = .session) throws(CallError) -> SessionName {
        guard let text = text(parameter) else { return .main }
        guard let session = SessionName(text) else {
            throw .invalidParams("\(parameter.name): 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return session
    }

    /// A session's name, or `*` for all.
    func target() throws(CallError) -> WatchTarget {
        text(.session) == "*" ? .all : .session(try session())
    }

    /// A length of time such as `30s`.
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

extension Parameter.Kind {
    /// Why the value at a node is not of this kind; nil if it is.
    func refusal(of node: Int, in text: borrowing JSONText) -> String? {
        switch (self, text.kind(node)) {
        case (.text, .string): text.value(at: node).flaw
        case (.integer, .number): text.value(at: node).flaw
        case (.truth, .bool), (.object, .object): nil
        case (.texts, .array):
            text.children(of: node).allSatisfy { text.kind($0) == .string } ? nil : expected
        default: expected
        }
    }

    private var expected: String {
        switch self {
        case .text: "expected a string"
        case .integer: "expected an integer"
        case .truth: "expected true or false"
        case .object: "expected an object"
        case .texts: "expected an array of strings"
        }
    }
}
