import Inputs
package import Sessions
import Support

/// The prefix of a `publish=` line, and the topics below it.
package struct PublishedPrefix: Equatable {
    package let text: String

    /// The payloads of `status`.
    package static let online = "online"
    package static let offline = "offline"

    /// Whether a daemon publishes.
    package var status: String { "\(text)/status" }
    /// Where daemons that publish below one prefix find each other; see `PrefixClaim`.
    var claims: String { "\(text)/daemon" }

    package func state(of session: SessionName) -> String { "\(text)/\(session.text)/state" }

    package func detail(of session: SessionName) -> String { "\(text)/\(session.text)/detail" }

    /// The filters that select the topics of all sessions.
    var sessionFilters: [String] { ["\(text)/+/state", "\(text)/+/detail"] }

    /// The session to which a topic belongs; nil for a topic of another form.
    package func session(ofTopic topic: String) -> SessionName? {
        let levels = MQTTTopic.levels(of: topic)
        let ownLevels = MQTTTopic.levels(of: text)
        guard levels.count == ownLevels.count + 2,
            zip(levels, ownLevels).allSatisfy({ $0.hasSameBytes(as: $1) }),
            let name = SessionName(String(levels[levels.count - 2]))
        else { return nil }
        return [state(of: name), detail(of: name)].contains(where: topic.hasSameBytes) ? name : nil
    }
}
