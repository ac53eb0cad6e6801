import Inputs
import Sessions
import Support

/// The prefix of a `publish=` line, and the topics below it.
struct PublishedPrefix: Equatable {
    let text: String

    /// The payloads of `status`.
    static let online = "online"
    static let offline = "offline"

    /// Whether a daemon publishes.
    var status: String { "\(text)/status" }
    /// Where daemons that publish below one prefix find each other; see `PrefixClaim`.
    var claims: String { "\(text)/daemon" }

    func state(of session: SessionName) -> String { "\(text)/\(session.text)/state" }

    func detail(of session: SessionName) -> String { "\(text)/\(session.text)/detail" }

    /// The filters that select the topics of all sessions.
    var sessionFilters: [String] { ["\(text)/+/state", "\(text)/+/detail"] }

    /// The session to which a topic belongs; nil for a topic of another form.
    func session(ofTopic topic: String) -> SessionName? {
        let levels = MQTTTopic.levels(of: topic)
        let ownLevels = MQTTTopic.levels(of: text)
        guard levels.count == ownLevels.count + 2,
            zip(levels, ownLevels).allSatisfy({ $0.hasSameBytes(as: $1) }),
            let name = SessionName(String(levels[levels.count - 2]))
        else { return nil }
        return [state(of: name), detail(of: name)].contains(where: topic.hasSameBytes) ? name : nil
    }
}
