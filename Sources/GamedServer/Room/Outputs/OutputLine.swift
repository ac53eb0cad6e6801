import GameFlow
import Inputs
import RPC
import Sessions
import Timers

/// An `on` line: something to send when a session asks for an effect, or enters a state.
struct OutputLine: Equatable {
    enum Trigger: Equatable {
        case effect(Glob)
        case enter(Glob)
    }

    enum Target: Equatable {
        case mqtt(topic: OutputTemplate, payload: OutputTemplate)
        case osc(host: String, port: UInt16, address: OutputTemplate, arguments: [OSCValue])
        case serial(line: OutputTemplate)
    }

    /// An argument of an OSC message.
    enum OSCValue: Equatable {
        case template(OutputTemplate)
        case constant(OSCArgument)
    }

    /// What is sent.
    enum Content: Equatable {
        case mqtt(MQTTMessage)
        case osc(OSCMessage, host: String, port: UInt16)
        case serial(String)
    }

    let trigger: Trigger
    let session: Glob
    let connection: String
    let target: Target
    let maxAge: Duration
    let isOnce: Bool

    /// The name of the target, for the order of deliveries.
    var targetName: String {
        switch target {
        case .mqtt: "mqtt \(connection)"
        case .osc(let host, let port, _, _): "osc \(host):\(port)"
        case .serial: "serial \(connection)"
        }
    }

    /// What of a change the line is meant for: its effects, or its entry.
    func occasions(in change: Change, flow: String, labels: [Member]) -> [OutputOccasion] {
        guard session.matches(change.session.text) else { return [] }
        func occasion(_ effect: EffectRecord?) -> OutputOccasion {
            OutputOccasion(
                session: change.session, flow: flow, seq: change.seq, pos: change.pos,
                entry: change.entry, at: change.at, effect: effect?.name,
                arguments: effect?.arguments ?? [], state: change.step.to, labels: labels)
        }
        switch trigger {
        case .effect(let glob):
            return change.step.effects.filter { glob.matches($0.name) }.map(occasion)
        case .enter(let glob):
            guard change.kind.isEntry, let state = change.step.to?.state, glob.matches(state)
            else { return [] }
            return [occasion(nil)]
        }
    }

    /// What to send; nil if a part is missing, or contains what separates things in its place.
    func content(_ occasion: OutputOccasion) -> Content? {
        switch target {
        case .mqtt(let topic, let payload):
            let forbidden = "/+#\0".unicodeScalars
            guard
                let name = topic.text(forbids: { forbidden.contains($0) }, occasion.part),
                MQTTTopic.isName(name), let text = payload.text(occasion.part)
            else { return nil }
            let bytes = Array(text.utf8)
            guard bytes.count <= MQTTLimit.payloadBytes else { return nil }
            return .mqtt(MQTTMessage(topic: name, payload: bytes))
        case .osc(let host, let port, let address, let arguments):
            let forbidden = "/ #*,?[]{}".unicodeScalars
            let isForbidden = { (scalar: Unicode.Scalar) in
                scalar.value < 0x20 || forbidden.contains(scalar)
            }
            guard let name = address.text(forbids: isForbidden, occasion.part) else { return nil }
            var values: [OSCArgument] = []
            for argument in arguments {
                guard let value = Self.value(argument, occasion) else { return nil }
                values.append(value)
            }
            return .osc(OSCMessage(name, values), host: host, port: port)
        case .serial(let line):
            guard
                let text = line.text(
                    forbids: { $0.value < 0x20 || $0.value == 0x7F }, occasion.part),
                text.utf8.count <= LineSplitter.longest
            else { return nil }
            return .serial(text)
        }
    }

    private static func value(_ value: OSCValue, _ occasion: OutputOccasion) -> OSCArgument? {
        switch value {
        case .constant(let argument): return argument
        case .template(let template):
            switch template.value(occasion.part) {
            case .int(let number)?:
                return Int32(exactly: number).map { .int($0) } ?? .long(Int64(number))
            case .bool(let truth)?: return .truth(truth)
            case .string(let text)?: return text.utf8.contains(0) ? nil : .text(text)
            default: return nil
            }
        }
    }
}
