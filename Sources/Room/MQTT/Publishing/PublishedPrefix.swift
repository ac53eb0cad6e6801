import Inputs
package import Sessions
import Support

/// The prefix of a `publish=` line, and the topics below it.
package struct PublishedPrefix: Hashable {
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

    /// Where Home Assistant sends an event with `controls=yes`, and where it pauses the timers.
    package func command(_ event: String, to session: SessionName) -> String {
        "\(text)/\(session.text)/send/\(event)"
    }

    package func pauseCommand(to session: SessionName) -> String {
        "\(text)/\(session.text)/paused/set"
    }

    /// The filters that select these topics of all sessions.
    var commandFilters: [String] { ["\(text)/+/send/+", "\(text)/+/paused/set"] }

    /// What a message to one of these topics asks for.
    package enum Command: Equatable {
        case send(event: String)
        case pause
    }

    /// Nil for a topic of another form.
    package func command(ofTopic topic: String) -> (session: SessionName, Command)? {
        guard let session = session(below: topic) else { return nil }
        if topic.hasSameBytes(as: pauseCommand(to: session)) { return (session, .pause) }
        let event = MQTTTopic.levels(of: topic).last.map(String.init) ?? ""
        guard topic.hasSameBytes(as: command(event, to: session)) else { return nil }
        return (session, .send(event: event))
    }

    /// The session whose topics begin as this one; nil if the topic is not below the prefix.
    private func session(below topic: String) -> SessionName? {
        let levels = MQTTTopic.levels(of: topic)
        let ownLevels = MQTTTopic.levels(of: text)
        guard levels.count >= ownLevels.count + 2,
            zip(levels, ownLevels).allSatisfy({ $0.hasSameBytes(as: $1) })
        else { return nil }
        return SessionName(String(levels[ownLevels.count]))
    }

    /// The session to which a topic belongs; nil for a topic of another form.
    package func session(ofTopic topic: String) -> SessionName? {
        guard let name = session(below: topic) else { return nil }
        return [state(of: name), detail(of: name)].contains(where: topic.hasSameBytes) ? name : nil
    }
}
