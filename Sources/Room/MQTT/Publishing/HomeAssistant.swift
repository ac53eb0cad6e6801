import GameFlow
package import Inputs
import JSONCoding
package import Sessions
import Support

/// The messages by which Home Assistant discovers the sessions that are published below a prefix.
package enum HomeAssistant {
    /// The topic where Home Assistant announces its start by the payload `online`. Home Assistant then needs the discovery
    /// messages again.
    static let birthTopic = "homeassistant/status"
    /// Selects the discovery messages of all programs.
    static let configurationFilter = "homeassistant/sensor/+/config"

    package static func topic(_ prefix: PublishedPrefix, _ session: SessionName) -> String {
        "homeassistant/sensor/\(identifier(prefix, session))/config"
    }

    /// The discovery message by which Home Assistant adds a sensor with the session's state.
    package static func message(_ prefix: PublishedPrefix, _ session: SessionName) -> String {
        let device = Value.object([
            Member("identifiers", .array([.string("gamed_\(prefix.text)")])),
            Member("name", prefix.text),
        ])
        let bytes = JSONWriter.bytes {
            $0.object([
                Member("name", session.text), Member("unique_id", identifier(prefix, session)),
                Member("state_topic", prefix.state(of: session)),
                Member("json_attributes_topic", prefix.detail(of: session)),
                Member("availability_topic", prefix.status), Member("device", device),
                Member("origin", .object([Member("name", "gamed")])),
            ])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The session for which a discovery message was published below the prefix, perhaps by an earlier version of gamed with
    /// another topic. Nil for another message.
    package static func session(_ prefix: PublishedPrefix, ofMessage message: MQTTMessage)
        -> SessionName?
    {
        // Other programs publish many messages; those of gamed have this name in their topics.
        guard message.topic.hasPrefix("homeassistant/sensor/gamed_"),
            case .object(let members)? = Value(json: message.payload),
            case .object(let origin)? = members["origin"], origin["name"] == "gamed",
            let stateTopic = members["state_topic"]?.text
        else { return nil }
        return prefix.session(ofTopic: stateTopic)
    }

    /// The id of a session: `gamed_PREFIX_SESSION`, in letters, digits, hyphens and underscores. Each other byte, and each
    /// underscore, is written as two underscores and two hexadecimal digits, so that two sessions never have one id.
    package static func identifier(_ prefix: PublishedPrefix, _ session: SessionName) -> String {
        "gamed_\(escaped(prefix.text))_\(escaped(session.text))"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "__" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return escaped
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
