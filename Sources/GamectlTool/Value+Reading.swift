import GameFlow

/// Reads the members of an object in a reply by name. Except `find`, the functions throw `CommandError.protocolError` if the
/// member is missing or has another type. The property `Value.text`, which takes no name, is the value itself as a text.
extension Value {
    /// A member's value; nil if it is missing or null.
    func find(_ name: String) -> Value? {
        guard case .object(let members) = self, let value = members[name], value != .null else {
            return nil
        }
        return value
    }

    /// The members of an object; none if the value is not an object.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// A member's value, of any type.
    func member(_ name: String) throws(CommandError) -> Value {
        guard let value = find(name) else { throw .protocolError("\(name) is missing") }
        return value
    }

    /// A text as received. The text may contain control characters; use `escapedText` for output.
    func text(_ name: String) throws(CommandError) -> String {
        guard case .string(let text) = try member(name) else {
            throw .protocolError("\(name) is not a string")
        }
        return text
    }

    /// A text, escaped for a terminal.
    func escapedText(_ name: String) throws(CommandError) -> String {
        TerminalSafe.escaped(try text(name))
    }

    func number(_ name: String) throws(CommandError) -> Int {
        guard case .int(let number) = try member(name) else {
            throw .protocolError("\(name) is not an integer")
        }
        return number
    }

    func boolean(_ name: String) throws(CommandError) -> Bool {
        guard case .bool(let boolean) = try member(name) else {
            throw .protocolError("\(name) is neither true nor false")
        }
        return boolean
    }

    func list(_ name: String) throws(CommandError) -> [Value] {
        guard case .array(let values) = try member(name) else {
            throw .protocolError("\(name) is not an array")
        }
        return values
    }

    /// An array of texts, escaped for a terminal.
    func escapedTexts(_ name: String) throws(CommandError) -> [String] {
        var texts: [String] = []
        for value in try list(name) {
            guard case .string(let text) = value else {
                throw .protocolError("\(name) is not an array of strings")
            }
            texts.append(TerminalSafe.escaped(text))
        }
        return texts
    }
}
