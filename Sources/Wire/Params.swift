internal import JSON
internal import Sessions
internal import Timers

/// A method's own parameters, found to be those it has, each of its type.
struct Params {
    let members: [Member]

    /// Checks that all required ones are there, none is unknown, and each has its type.
    init(_ members: [Member], of method: Method) throws(CallError) {
        let parameters = method.parameters
        for member in members {
            guard let parameter = parameters.first(where: { $0.name == member.name }) else {
                throw .invalidParams("\(member.name): unknown")
            }
            if !parameter.type.takes(member.value) {
                let why = member.value.flaw ?? "expected \(parameter.type.description)"
                throw .invalidParams("\(member.name): \(why)")
            }
        }
        for parameter in parameters where parameter.isRequired {
            if members[parameter.name] == nil {
                throw .invalidParams("\(parameter.name): missing")
            }
        }
        self.members = members
    }

    func text(_ name: String) -> String? {
        if case .string(let text) = members[name] { text } else { nil }
    }

    func int(_ name: String) -> Int? {
        if case .int(let number) = members[name] { number } else { nil }
    }

    func isTrue(_ name: String) -> Bool { members[name] == .bool(true) }

    func object(_ name: String) -> [Member] {
        if case .object(let members) = members[name] { members } else { [] }
    }

    func texts(_ name: String) -> [String]? {
        guard case .array(let values) = members[name] else { return nil }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    // MARK: what several methods ask for

    /// A session's name; `main` where none is given.
    func session(_ name: String = "session") throws(CallError) -> SessionName {
        guard let text = text(name) else { return .main }
        guard let session = SessionName(text) else {
            throw .invalidParams("\(name): 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return session
    }

    /// A session's name, or `*` for all.
    func target() throws(CallError) -> WatchTarget {
        text("session") == "*" ? .all : .session(try session())
    }

    /// A length of time such as `30s`.
    func interval(_ name: String) throws(CallError) -> Interval? {
        guard let text = text(name) else { return nil }
        guard let interval = DurationText.read(text) else {
            throw .invalidParams(
                "\(name): expected a duration of at most 10 years, as 250ms or 1h30m")
        }
        return interval
    }

    /// A number that is not negative.
    func count(_ name: String) throws(CallError) -> Int? {
        guard let number = int(name) else { return nil }
        guard number >= 0 else { throw .invalidParams("\(name): negative") }
        return number
    }
}

extension Method.ParameterType {
    func takes(_ value: Value) -> Bool {
        switch (self, value) {
        case (.text, .string), (.integer, .int), (.truth, .bool), (.object, .object): true
        case (.texts, .array(let values)): values.allSatisfy(Self.text.takes)
        default: false
        }
    }
}
