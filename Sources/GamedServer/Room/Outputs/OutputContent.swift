import HTTP
import Inputs
import Sessions

/// The data that `OutputQueue`, the queue of waiting outputs, stores for the sender of an output: the content, the effect, and
/// the node that sends the output.
struct OutputMessage {
    /// The name of the effect that asked for the output. Empty if something else caused the output, such as an entry.
    let effect: String
    /// The name of the target, as operators see it, such as `run /usr/local/lib/vault/scene`.
    let destination: String
    /// Nil if the output cannot be sent: a value is missing, too long, or contains a separator, such as `/` in a topic.
    let content: OutputContent?
    /// The node that sends the output; nil for this node.
    var node: String?
    /// The length of the chain of steps that led to the change; see `Source.linkedSteps`.
    var linkedSteps = 0

    /// Whether the output is a step of another session. Such an output is sent even while an operator has switched outputs off.
    var isSend: Bool { if case .session? = content { true } else { false } }

    /// Why an output has no content.
    static let noContentReason =
        "a value is missing, too long, or contains a separator, such as / in a topic"
}

/// The data that an output sends, and the connection that it uses.
enum OutputContent {
    case mqtt(MQTTMessage, connection: String)
    /// The message is sent from the connection's socket to this host and port.
    case osc(OSCMessage, connection: String, host: String, port: UInt16)
    case serial(String, connection: String)
    case web(WebRequestContent)
    /// The program gets the input on its standard input.
    case program(path: String, input: [UInt8])
    /// A step of another session, which a change of the session `origin` asks for.
    case session(LinkedStep, origin: SessionName)

    /// The maximum number of bytes of an MQTT payload in `summary`.
    private static let summaryBytes = 200

    /// The content as a short text for operators.
    var summary: String {
        switch self {
        case .mqtt(let message, _):
            "\(message.topic) \(String(decoding: message.payload.prefix(Self.summaryBytes), as: UTF8.self))"
        case .osc(let message, _, _, _):
            "\(message.address) \(message.arguments.map { "\($0)" }.joined(separator: " "))"
        case .serial(let line, _): line
        case .web(let request): "\(request.method.rawValue) \(request.origin.text)\(request.path)"
        case .program(let path, _): path
        case .session(let step, _): "session \(step.target.text)"
        }
    }
}
