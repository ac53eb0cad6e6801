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

    /// The name of the target. Outputs with the same name are delivered in their order.
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
    let payload: OutputTemplate

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

/// The templates of an OSC message, the numeric address of its receiver, and the connection that sends it.
struct OSCOutput: Equatable {
    /// An argument of the message.
    enum ArgumentTemplate: Equatable {
        case template(OutputTemplate)
        case constant(OSCArgument)
    }

    let connection: String
    let host: String
    let port: UInt16
    let address: OutputTemplate
    let arguments: [ArgumentTemplate]

    /// The message with the values that `valueOf` returns for the placeholders; nil if it cannot be sent.
    func content(_ valueOf: (OutputPlaceholder) -> Value?) -> OutputContent? {
        // The separator, and the characters that OSC reserves for patterns.
        let forbidden = "/ #*,?[]{}".unicodeScalars
        let isForbidden = { (scalar: Unicode.Scalar) in
            scalar.value < 0x20 || forbidden.contains(scalar)
        }
        guard let name = address.text(forbids: isForbidden, valueOf) else { return nil }
        var values: [OSCArgument] = []
        for argument in arguments {
            guard let value = Self.value(argument, valueOf) else { return nil }
            values.append(value)
        }
        return .osc(OSCMessage(name, values), connection: connection, host: host, port: port)
    }

    /// The value of an argument; nil if it is missing or of a type that messages do not have.
    private static func value(
        _ argument: ArgumentTemplate, _ valueOf: (OutputPlaceholder) -> Value?
    )
        -> OSCArgument?
    {
        switch argument {
        case .constant(let value): return value
        case .template(let template):
            switch template.value(valueOf) {
            case .int(let number)?:
                return Int32(exactly: number).map { .int($0) } ?? .long(Int64(number))
            case .bool(let truth)?: return .truth(truth)
            // In a message, a zero byte ends a text.
            case .string(let text)?: return text.utf8.contains(0) ? nil : .text(text)
            default: return nil
            }
        }
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
