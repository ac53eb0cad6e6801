internal import JSON
internal import Sessions
internal import Timers

/// A request's parameters, found to be those its method has, each of its kind.
///
/// They stay where they were read, and only what is asked for is made a value: most of a request is
/// looked at once, and some of it never.
struct Params {
    private let text: JSONText
    /// Where each parameter's value stands; -1 of those that were not given.
    private var nodes = InlineArray<17, Int32>(repeating: -1)

    /// Checks that all required ones are there, none is unknown, and each is of its kind. `node` is the
    /// object that holds them; nil is one without any.
    init(_ node: Int?, in text: JSONText, of method: Method) throws(CallError) {
        self.text = text
        let known = method.parameters
        if let node { try read(node, known.all) }
        if let lacking = known.required.first(where: { !has($0) }) {
            throw .invalidParams("\(lacking.name): missing")
        }
    }

    private mutating func read(_ node: Int, _ known: ParameterSet) throws(CallError) {
        for (name, value) in text.members(of: node) {
            guard let parameter = known.first(where: { text.says($0.name, at: name) }) else {
                throw .invalidParams("\(text.string(at: name) ?? ""): unknown")
            }
            if let why = parameter.kind.refusal(of: value, in: text) {
                throw .invalidParams("\(parameter.name): \(why)")
            }
            nodes[Int(parameter.rawValue)] = Int32(value)
        }
    }

    private func node(_ parameter: Parameter) -> Int? {
        let node = nodes[Int(parameter.rawValue)]
        return node < 0 ? nil : Int(node)
    }

    func has(_ parameter: Parameter) -> Bool { node(parameter) != nil }

    func text(_ parameter: Parameter) -> String? {
        node(parameter).flatMap { text.string(at: $0) }
    }

    /// A text that is known to be there: the method requires it.
    func required(_ parameter: Parameter) -> String { text(parameter) ?? "" }

    func int(_ parameter: Parameter) -> Int? {
        guard let node = node(parameter), case .int(let number) = text.value(at: node) else {
            return nil
        }
        return number
    }

    func isTrue(_ parameter: Parameter) -> Bool {
        node(parameter).map { text.value(at: $0) == .bool(true) } ?? false
    }

    func object(_ parameter: Parameter) -> [Member] {
        node(parameter).map { text.object(at: $0) } ?? []
    }

    func texts(_ parameter: Parameter) -> [String]? {
        node(parameter).map { text.children(of: $0).compactMap { text.string(at: $0) } }
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
    func interval(_ parameter: Parameter) throws(CallError) -> Interval? {
        guard let text = text(parameter) else { return nil }
        guard let interval = DurationText.read(text) else {
            throw .invalidParams(
                "\(parameter.name): expected a duration of at most 10 years, as 250ms or 1h30m")
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
    func refusal(of node: Int, in text: JSONText) -> String? {
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
