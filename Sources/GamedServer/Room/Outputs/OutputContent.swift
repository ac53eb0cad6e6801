import Inputs
import Sessions

/// An output of the room.
struct OutputMessage {
    /// The effect that asked for it; empty for an entry or a refusal.
    let effect: String
    /// Nil if it cannot be sent: a part is missing, too long, or contains what separates things in its place.
    let content: OutputContent?
    /// The node that sends it; nil if it is this one.
    var node: String?

    /// Whether it is a send to another session, which no switch for outputs concerns.
    var isSend: Bool { if case .session? = content { true } else { false } }

    static let unfit =
        "a value is missing, too long, or contains a character that separates things there"
}

/// The content of an output.
enum OutputContent {
    case mqtt(MQTTMessage, connection: String)
    case osc(OSCMessage, connection: String, host: String, port: UInt16)
    case serial(String, connection: String)
    case web(WebRequestContent)
    case program(path: String, input: [UInt8])
    /// A step of another session, which a change of the session `origin` asks for.
    case session(LinkedStep, origin: SessionName)

    /// The content as an operator sees it.
    var shown: String {
        switch self {
        case .mqtt(let message, _):
            "\(message.topic) \(String(decoding: message.payload.prefix(200), as: UTF8.self))"
        case .osc(let message, _, _, _):
            "\(message.address) \(message.arguments.map { "\($0)" }.joined(separator: " "))"
        case .serial(let line, _): line
        case .web(let request): "\(request.method.rawValue) \(request.origin.text)\(request.path)"
        case .program(let path, _): path
        case .session(let step, _): "session \(step.target.text)"
        }
    }
}
