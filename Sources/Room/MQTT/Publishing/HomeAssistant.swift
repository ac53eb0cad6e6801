import GameFlow
package import Inputs
import JSONCoding
package import Sessions
import Support

/// The messages by which Home Assistant discovers the sessions that are published below a prefix: a device for each session, with
/// the entities of `HomeAssistantDevice`.
package enum HomeAssistant {
    /// The topic where Home Assistant announces its start by the payload `online`. Home Assistant then needs the discovery
    /// messages again.
    static let birthTopic = "homeassistant/status"
    /// Selects the discovery messages of all programs.
    static let configurationFilter = "homeassistant/+/+/config"

    /// The topic of the discovery message of an entity, such as a `sensor`.
    package static func topic(_ component: String, _ identifier: String) -> String {
        "homeassistant/\(component)/\(identifier)/config"
    }

    /// The session for which a discovery message was published below the prefix, perhaps by an earlier version of gamed with
    /// another topic. Nil for another message.
    package static func session(_ prefix: PublishedPrefix, ofMessage message: MQTTMessage)
        -> SessionName?
    {
        // Other programs publish many messages; those of gamed have this name in their topics.
        let levels = MQTTTopic.levels(of: message.topic)
        guard levels.count == 4, levels[0] == "homeassistant", levels[2].hasPrefix("gamed_"),
            case .object(let members)? = Value(json: message.payload),
            case .object(let origin)? = members["origin"], origin["name"] == "gamed"
        else { return nil }
        // The whole topic is compared: another daemon may publish below a prefix that begins with this one.
        if let topic = members["state_topic"]?.text { return prefix.session(ofTopic: topic) }
        return members["command_topic"]?.text.flatMap { prefix.command(ofTopic: $0)?.session }
    }

    /// The id of a session: `gamed_PREFIX_SESSION`, in letters, digits, hyphens and underscores. Each other byte, and each
    /// underscore, is written as two underscores and two hexadecimal digits, so that two sessions never have one id.
    package static func identifier(_ prefix: PublishedPrefix, _ session: SessionName) -> String {
        "gamed_\(escaped(prefix.text))_\(escaped(session.text))"
    }

    static func escaped(_ text: String) -> String {
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

    /// The text as a literal of Jinja, the language of Home Assistant's templates.
    static func literal(_ text: String) -> String {
        var literal = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": literal += "\\\(scalar)"
            // A template ends lines of its own; texts of flows have none that matter.
            case _ where scalar.value < 0x20: literal += " "
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "'"
    }
}
