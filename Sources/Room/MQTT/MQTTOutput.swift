package import EventLoop
package import GameFlow
package import Inputs
package import Outputs
package import Parts
import Support
import Timers

/// The templates of an MQTT message, and the connection that publishes it.
package struct MQTTOutput: RelayableTarget {
    package static let word = MQTTBroker.word
    package static let form = "mqtt=NAME topic=TEXT [payload=TEXT]"
    package static let keys = ["topic", "payload"]

    package let connection: String
    package let topic: OutputTemplate
    package let payload: PayloadTemplate

    package init(_ line: OnDirective) throws(ConfigurationError) {
        let text = line.optionalText("payload") ?? ""
        connection = try line.connection(Self.word)
        topic = try line.template("topic", try line.text("topic"))
        guard let example = topic.text({ _ in .string("x") }, convert: { $0 }),
            MQTTTopic.isName(example)
        else {
            throw line.mistake(
                "topic", "expected a topic; the topic of a message has no + and no #")
        }
        payload = PayloadTemplate(try line.template("payload", text), writtenAs: text)
    }

    /// A broker may acknowledge a message until the output reaches its maximum age.
    package func timeout(maxAge: Duration) -> Duration { maxAge }

    package func content(of occasion: OutputOccasion, id: String) throws(ContentError)
        -> MQTTContent
    {
        // A value must not add a level to the topic, or be a wildcard.
        let forbidden = "/+#\0".unicodeScalars
        let name = try topic.text(
            for: "topic", forbids: { forbidden.contains($0) }, occasion.value(of:),
            isValid: MQTTTopic.isName, otherwise: "empty, or longer than a topic may be")
        let bytes = Array(try payload.text(for: "payload", occasion.value(of:)).utf8)
        guard bytes.count <= MQTTLimit.payloadBytes else {
            throw ContentError("payload: longer than \(MQTTLimit.payloadBytes) bytes")
        }
        return MQTTContent(
            message: MQTTMessage(topic: name, payload: bytes), connection: connection)
    }

    package func own(_ content: MQTTContent) -> MQTTContent? {
        content.connection.hasSameBytes(as: connection) ? content : nil
    }

    package static func sender(_ connections: RoomConnections, on loop: LibeventLoop)
        -> any OutputSender
    {
        MQTTSender(connections)
    }
}

/// An MQTT message, and the name of the connection that publishes it.
package struct MQTTContent: RelayableContent {
    package let message: MQTTMessage
    package let connection: String

    /// The maximum number of bytes of a payload in `summary`.
    private static let summaryBytes = 200

    package var summary: String {
        "\(message.topic) \(String(decoding: message.payload.prefix(Self.summaryBytes), as: UTF8.self))"
    }

    package var members: [Member] {
        [
            Member("mqtt", connection), Member("topic", message.topic),
            Member("payload", String(decoding: message.payload, as: UTF8.self)),
        ]
    }
}

extension MQTTContent {
    package init?(_ members: [Member]) {
        guard let connection = members["mqtt"]?.text, let topic = members["topic"]?.text,
            let payload = members["payload"]?.text, MQTTTopic.isName(topic),
            payload.utf8.count <= MQTTLimit.payloadBytes
        else { return nil }
        self.init(
            message: MQTTMessage(topic: topic, payload: Array(payload.utf8)),
            connection: connection)
    }
}

/// Publishes the messages of outputs. An attempt ends when the broker acknowledges the message, or the connection fails.
package final class MQTTSender: OutputSender {
    private let connections: RoomConnections
    /// The callbacks for the messages that the broker has not acknowledged yet.
    private var unacknowledged: [MessageKey: (DeliveryResult) -> Void] = [:]

    /// Identifies a message by the connection and the packet id, which the broker's acknowledgement repeats.
    private struct MessageKey: Hashable {
        let connection: String
        let packet: UInt16
    }

    package init(_ connections: RoomConnections) {
        self.connections = connections
        connections.observers.append { [unowned self] name, isUp in
            if !isUp { connectionFailed(name) }
        }
    }

    package func send(
        _ content: MQTTContent, _ attempt: OutputAttempt,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        let (name, origin) = (
            content.connection,
            InputOrigin(linkedSteps: attempt.linkedSteps, sender: .line(attempt.line))
        )
        guard let connection = connections[name] as? BrokerConnection,
            let packet = connection.publish(content.message, origin)
        else { return done(.failed("the connection is down")) }
        // Set for each message, because a reload of the configuration can replace the connection.
        connection.broker.onAcknowledged = { [unowned self] packet in
            let key = MessageKey(connection: name, packet: packet)
            unacknowledged.removeValue(forKey: key)?(.delivered)
        }
        unacknowledged[MessageKey(connection: name, packet: packet)] = done
    }

    /// Ends the attempts that wait for this connection: the broker will not acknowledge their messages.
    private func connectionFailed(_ name: String) {
        let lostMessages = unacknowledged.keys.filter { $0.connection == name }
        for key in lostMessages.sorted(by: { $0.packet < $1.packet }) {
            unacknowledged.removeValue(forKey: key)?(.failed("the connection was lost"))
        }
    }
}
