import GameFlow

/// Looking into what the daemon said. What must be there and is not is its fault, and never a trap.
extension Value {
    /// A member's value; nil if there is none, or it is null.
    func find(_ name: String) -> Value? {
        guard case .object(let members) = self, let value = members[name], value != .null else {
            return nil
        }
        return value
    }

    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    func member(_ name: String) throws(Failure) -> Value {
        guard let value = find(name) else { throw .fault("\(name) is missing") }
        return value
    }

    /// A text as it is, for comparing; people are shown `shown`.
    func text(_ name: String) throws(Failure) -> String {
        guard case .string(let text) = try member(name) else {
            throw .fault("\(name) is no string")
        }
        return text
    }

    /// A text with nothing in it that a terminal would obey.
    func shown(_ name: String) throws(Failure) -> String { TerminalSafe.word(try text(name)) }

    func number(_ name: String) throws(Failure) -> Int {
        guard case .int(let number) = try member(name) else {
            throw .fault("\(name) is no integer")
        }
        return number
    }

    func truth(_ name: String) throws(Failure) -> Bool {
        guard case .bool(let truth) = try member(name) else {
            throw .fault("\(name) is neither true nor false")
        }
        return truth
    }

    func list(_ name: String) throws(Failure) -> [Value] {
        guard case .array(let values) = try member(name) else {
            throw .fault("\(name) is no array")
        }
        return values
    }

    /// An array of texts, fit to be shown.
    func names(_ name: String) throws(Failure) -> [String] {
        var names: [String] = []
        for value in try list(name) {
            guard case .string(let text) = value else { throw .fault("\(name) has no strings") }
            names.append(TerminalSafe.word(text))
        }
        return names
    }
}
