import GameFlow
import Inputs
import Outputs

/// Where an `on` line sends its outputs, and from which templates their contents are made.
enum OutputTarget: Equatable {
    case mqtt(MQTTOutput)
    case osc(OSCOutput)
    case serial(SerialOutput)
    case web(WebOutput)
    case program(path: String)

    /// The name of the target, as operators see it. See also `OutputLine.targetName`.
    var name: String {
        switch self {
        case .mqtt(let output): "mqtt \(output.connection)"
        case .osc(let output): "osc \(output.host):\(output.port)"
        case .serial(let output): "serial \(output.connection)"
        case .web(let output): "http \(output.origin.text)"
        case .program(let path): "run \(path)"
        }
    }

    /// The name by which an operator switches outputs off and on. It is the name of the connection. For a target that uses no
    /// connection, it is `http` or `run`.
    var connection: String {
        switch self {
        case .mqtt(let output): output.connection
        case .osc(let output): output.connection
        case .serial(let output): output.connection
        case .web: "http"
        case .program: "run"
        }
    }

    /// Whether the target uses a connection of the room. The name in `connection` does not tell: a connection of the room can
    /// have the name `http` or `run`.
    var usesConnection: Bool {
        switch self {
        case .mqtt, .osc, .serial: true
        case .web, .program: false
        }
    }

    /// How long an attempt may take. A broker may acknowledge a message until the output reaches its maximum age.
    func timeout(maxAge: Duration) -> Duration {
        switch self {
        case .mqtt: maxAge
        case .osc, .serial, .web: DeliveryLimit.timeout
        case .program: DeliveryLimit.programTimeout
        }
    }

    /// The content to send; nil if a value is missing, too long, or contains a separator, such as `/` in a topic.
    func content(of occasion: OutputOccasion, id: String) -> OutputContent? {
        switch self {
        case .mqtt(let output): output.content(occasion.value(of:))
        case .osc(let output): output.content(occasion.value(of:))
        case .serial(let output): output.content(occasion.value(of:))
        case .web(let output): output.content(occasion, id: id).map { .web($0) }
        case .program(let path): .program(path: path, input: occasion.json(id: id))
        }
    }
}

/// The templates of an MQTT message, and the connection that publishes it.
struct MQTTOutput: Equatable {
    let connection: String
    let topic: OutputTemplate
    let payload: PayloadTemplate

    /// The message with the values that `valueOf` returns for the placeholders; nil if it cannot be sent.
    func content(_ valueOf: (OutputPlaceholder) -> Value?) -> OutputContent? {
        // A value must not add a level to the topic, or be a wildcard.
        let forbidden = "/+#\0".unicodeScalars
        guard
            let name = topic.text(forbids: { forbidden.contains($0) }, valueOf),
            MQTTTopic.isName(name), let text = payload.text(valueOf)
        else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count <= MQTTLimit.payloadBytes else { return nil }
        return .mqtt(MQTTMessage(topic: name, payload: bytes), connection: connection)
    }
}

/// The template of a line to a serial device, and the connection that writes it.
struct SerialOutput: Equatable {
    let connection: String
    let line: OutputTemplate

    /// The line with the values that `valueOf` returns for the placeholders. Nil if a value is missing, or if the line is too
    /// long. Nil also if a value has a control character, because a character such as LF would end the line.
    func content(_ valueOf: (OutputPlaceholder) -> Value?) -> OutputContent? {
        guard let text = line.text(forbids: { $0.value < 0x20 || $0.value == 0x7F }, valueOf),
            text.utf8.count <= LineSplitter.maximumBytes
        else { return nil }
        return .serial(text, connection: connection)
    }
}
