import GameFlow
import Inputs
import JSONCoding

/// An input that matches the pattern of a `map` line. `value(_:)` returns the values of the line's placeholders.
struct InputMatch {
    private let input: Input
    /// For a serial line: the part of the line that each `*` of the pattern matched, in order. Empty for other inputs.
    private let captures: [String]

    /// Nil if the input does not match the pattern.
    init?(_ input: Input, _ pattern: InputMap.Pattern) {
        self.input = input
        switch (pattern, input) {
        case (.message(let filter, let payload, let json), .message(let message)):
            // A retained message is ignored: the broker sends it again at each subscription, when nothing has happened.
            guard !message.isRetained,
                MQTTTopic.selects(filter, message.topic),
                Self.matches(message.payload, payload, json)
            else { return nil }
            captures = []
        case (.osc(let address, let min), .osc(let message, _)):
            guard address.matches(message.address) else { return nil }
            if let min {
                guard let number = message.arguments.first?.number, number >= min else {
                    return nil
                }
            }
            captures = []
        case (.line(let pattern), .line(let line)):
            guard String(validating: line, as: UTF8.self) != nil,
                let matchedParts = pattern.match(line)
            else { return nil }
            captures = matchedParts
        case (.key(let expected), .key(let code)):
            guard expected == code else { return nil }
            captures = []
        default: return nil
        }
    }

    /// Whether a payload is equal to `text` or, as a JSON object, has the members `json`. If `text` and `json` are nil, every
    /// payload that is not empty matches. Clients send an empty payload only to clear a retained message.
    private static func matches(_ payload: [UInt8], _ text: String?, _ json: [Member]?) -> Bool {
        if let text { return payload.elementsEqual(text.utf8) }
        guard !payload.isEmpty else { return false }
        guard let json else { return true }
        guard let value = Value(json: payload) else { return false }
        return contains(value, .object(json))
    }

    /// Whether `value` has all members of `expected`. The values of these members are compared by the same function. Values
    /// that are not both objects must be equal.
    private static func contains(_ value: Value, _ expected: Value) -> Bool {
        guard case .object(let members) = expected, case .object(let givenMembers) = value else {
            return value == expected
        }
        return members.allSatisfy { member in
            givenMembers[member.name].map { contains($0, member.value) } ?? false
        }
    }

    /// A placeholder names a part of the input. Returns the value of this part; nil if the input does not have the part.
    func value(_ part: InputPlaceholder) -> Value? {
        switch (part, input) {
        case (.payload, .message(let message)):
            return String(validating: message.payload, as: UTF8.self).map { .string($0) }
        case (.topic(let level), .message(let message)):
            let levels = MQTTTopic.levels(of: message.topic)
            return level <= levels.count ? .string(String(levels[level - 1])) : nil
        case (.json(let path), .message(let message)):
            var value = Value(json: message.payload)
            for name in path {
                guard case .object(let members)? = value else { return nil }
                value = members[name]
            }
            return value
        case (.number(let position), .osc(let message, _)):
            return position <= message.arguments.count
                ? Self.value(message.arguments[position - 1]) : nil
        case (.number(let position), .line):
            return position <= captures.count ? .string(captures[position - 1]) : nil
        default: return nil
        }
    }

    /// The value of an OSC argument; nil for a kind of argument that flows do not have. A number becomes an integer if it has
    /// no fraction and `Value` can hold it, else a text, because flows have no fractions.
    private static func value(_ argument: OSCArgument) -> Value? {
        switch argument {
        case .text(let text): return .string(text)
        case .truth(let truth): return .bool(truth)
        case .null, .impulse, .blob: return nil
        case .int, .float, .long, .double:
            guard let number = argument.number else { return nil }
            guard let whole = Int(exactly: number), abs(number) <= Double(Value.largest) else {
                return .string("\(number)")
            }
            return .int(whole)
        }
    }
}
