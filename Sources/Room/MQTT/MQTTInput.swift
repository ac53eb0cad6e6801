package import GameFlow
package import Inputs
import JSONCoding
package import Parts

extension MQTTMessage: RoomInput {
    /// The maximum number of bytes of a payload in `shownText`.
    private static let shownPayloadBytes = 800

    package var peer: String { topic }

    package var shownText: String {
        String(decoding: payload.prefix(Self.shownPayloadBytes), as: UTF8.self)
            + (isRetained ? " (retained)" : "")
    }
}

/// The condition of a `map` line about MQTT messages that are not retained: their topic matches the filter, and their payload
/// is equal to a text or is a JSON object with at least some members.
package struct MQTTPattern: InputPattern {
    package static let form = "topic=FILTER [payload=TEXT] [json=JSON]"
    package static let keys = ["topic", "payload", "json"]
    package static let keysOfEmptyValues = ["payload"]

    package enum Payload: Equatable {
        /// Every payload that is not empty. Clients send an empty payload only to clear a retained message.
        case any
        case text(String)
        case object([Member])
    }

    package let filter: String
    package let payload: Payload

    package init(_ line: MapWords) throws(ConfigurationError) {
        filter = try line.text("topic")
        guard MQTTTopic.isFilter(filter) else {
            throw line.mistake(
                "topic",
                "expected a topic; + stands for a whole level, a final # for all further ones")
        }
        switch (line.optionalText("payload"), line.optionalText("json")) {
        case (nil, nil): payload = .any
        case (let text?, nil): payload = .text(text)
        case (nil, _?): payload = .object(try line.object("json"))
        case (_?, _?): throw line.mistake("json", "cannot be combined with payload")
        }
    }

    package var text: String { "topic=\(filter)" }

    package func mayHaveValue(for placeholder: InputPlaceholder) -> Bool {
        switch placeholder {
        case .payload, .json: return true
        case .topic(let level):
            let levels = MQTTTopic.levels(of: filter)
            return level <= levels.count || levels.last == "#"
        case .number: return false
        }
    }

    package func values(of message: MQTTMessage) -> InputValues? {
        // A retained message is ignored: the broker sends it again at each subscription, when nothing has happened.
        guard !message.isRetained, MQTTTopic.selects(filter, message.topic),
            payload.matches(message.payload)
        else { return nil }
        return { Self.value($0, of: message) }
    }

    private static func value(_ part: InputPlaceholder, of message: MQTTMessage) -> Value? {
        switch part {
        case .payload: return String(validating: message.payload, as: UTF8.self).map { .string($0) }
        case .topic(let level):
            let levels = MQTTTopic.levels(of: message.topic)
            return level <= levels.count ? .string(String(levels[level - 1])) : nil
        case .json(let path):
            var value = Value(json: message.payload)
            for name in path {
                guard case .object(let members)? = value else { return nil }
                value = members[name]
            }
            return value
        case .number: return nil
        }
    }
}

extension MQTTPattern.Payload {
    fileprivate func matches(_ payload: [UInt8]) -> Bool {
        switch self {
        case .any: return !payload.isEmpty
        case .text(let text): return payload.elementsEqual(text.utf8)
        case .object(let members):
            guard let value = Value(json: payload) else { return false }
            return Self.contains(value, .object(members))
        }
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
}
