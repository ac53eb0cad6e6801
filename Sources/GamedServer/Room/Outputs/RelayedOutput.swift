import GameFlow
import Inputs
import Sessions

/// An output that another node is to send, because only that node has the connection or the program. This type writes the
/// output to a message between nodes, and reads it from one.
struct RelayedOutput {
    /// The fingerprint of the `on` line, a hash of its text. The other node sends the output only if it has the same line.
    let line: UInt64
    let content: OutputContent
    /// The length of the chain of steps that led to the output; see `Source.linkedSteps`.
    let linkedSteps: Int

    /// Nil for a content that only the owner of the session can send.
    init?(_ content: OutputContent, line: UInt64, linkedSteps: Int = 0) {
        self.linkedSteps = linkedSteps
        switch content {
        case .mqtt, .osc, .serial, .program: (self.content, self.line) = (content, line)
        case .web, .session: return nil
        }
    }

    /// What this node sends for the output; nil if a line with this target cannot ask for it. The line names a program, whose
    /// relative path begins at the folder of each node's own configuration.
    func content(for target: OutputTarget) -> OutputContent? {
        switch (content, target) {
        case (.mqtt(_, let connection), .mqtt(let output)):
            connection == output.connection ? content : nil
        case (.serial(_, let connection), .serial(let output)):
            connection == output.connection ? content : nil
        case (.osc(_, let connection, let host, let port), .osc(let output)):
            connection == output.connection && host == output.host && port == output.port
                ? content : nil
        case (.program(_, let input), .program(let path)): .program(path: path, input: input)
        default: nil
        }
    }

    // MARK: message between nodes

    /// The output as a value that `init(_ value:)` reads.
    var value: Value {
        .object(
            [Member("line", String(line, radix: 36))] + members
                + (linkedSteps > 0 ? [Member("linkedSteps", linkedSteps)] : []))
    }

    private var members: [Member] {
        switch content {
        case .mqtt(let message, let connection):
            [
                Member("mqtt", connection), Member("topic", message.topic),
                Member("payload", String(decoding: message.payload, as: UTF8.self)),
            ]
        case .serial(let text, let connection):
            [Member("serial", connection), Member("text", text)]
        case .osc(let message, let connection, let host, let port):
            [
                Member("osc", connection), Member("host", host), Member("port", Int(port)),
                Member("address", message.address),
                Member("args", .array(message.arguments.map(Self.value))),
            ]
        case .program(let path, let input):
            [Member("run", path), Member("input", String(decoding: input, as: UTF8.self))]
        // The initializer excludes these.
        case .web, .session: []
        }
    }

    /// Reads an output from a message; nil if the value is not an output.
    init?(_ value: Value) {
        guard case .object(let members) = value,
            let line = members["line"]?.text.flatMap({ UInt64($0, radix: 36) }),
            let content = Self.content(members)
        else { return nil }
        (self.line, self.content) = (line, content)
        // A node of an earlier version does not send the number.
        if case .int(let number)? = members["linkedSteps"] {
            linkedSteps = min(max(0, number), Source.linkedStepsLimit)
        } else {
            linkedSteps = 0
        }
    }

    /// Reads the content from the members of a message. Nil if the members describe no content, or a content that the target
    /// does not permit, such as a line with control characters.
    private static func content(_ members: [Member]) -> OutputContent? {
        func text(_ name: String) -> String? { members[name]?.text }
        if let connection = text("mqtt"), let topic = text("topic"), let payload = text("payload") {
            guard MQTTTopic.isName(topic), payload.utf8.count <= MQTTLimit.payloadBytes else {
                return nil
            }
            return .mqtt(
                MQTTMessage(topic: topic, payload: Array(payload.utf8)), connection: connection)
        }
        if let connection = text("serial"), let line = text("text") {
            guard line.utf8.count <= LineSplitter.maximumBytes,
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { return nil }
            return .serial(line, connection: connection)
        }
        if let path = text("run"), let input = text("input") {
            return .program(path: path, input: Array(input.utf8))
        }
        guard let connection = text("osc"), let host = text("host"), let address = text("address"),
            case .int(let number)? = members["port"], let port = UInt16(exactly: number),
            case .array(let values)? = members["args"]
        else { return nil }
        let arguments = values.compactMap(argument)
        guard arguments.count == values.count, !address.utf8.contains(0) else { return nil }
        return .osc(
            OSCMessage(address, arguments), connection: connection, host: host, port: port)
    }

    // MARK: arguments of OSC

    /// An argument as a list of two elements: the letter of its type, and its value. Floating-point numbers are written as
    /// their bits. Numbers of 64 bits are written as texts, because `Value` cannot hold all 64-bit numbers.
    private static func value(_ argument: OSCArgument) -> Value {
        let (type, value): (String, Value) =
            switch argument {
            case .int(let number): ("i", .int(Int(number)))
            case .float(let number): ("f", .int(Int(number.bitPattern)))
            case .text(let text): ("s", .string(text))
            case .blob(let bytes): ("b", .array(bytes.map { .int(Int($0)) }))
            case .truth(let truth): ("t", .bool(truth))
            case .null: ("n", .null)
            case .impulse: ("I", .null)
            case .long(let number): ("h", .string("\(number)"))
            case .double(let number): ("d", .string("\(number.bitPattern)"))
            }
        return .array([.string(type), value])
    }

    /// The argument that such a list describes; nil for another value.
    private static func argument(_ value: Value) -> OSCArgument? {
        guard case .array(let parts) = value, parts.count == 2, let type = parts[0].text else {
            return nil
        }
        switch (type, parts[1]) {
        case ("i", .int(let number)): return Int32(exactly: number).map { .int($0) }
        case ("f", .int(let number)):
            return UInt32(exactly: number).map { .float(Float(bitPattern: $0)) }
        case ("s", .string(let text)): return text.utf8.contains(0) ? nil : .text(text)
        case ("b", .array(let values)): return bytes(values).map { .blob($0) }
        case ("t", .bool(let truth)): return .truth(truth)
        case ("n", .null): return .null
        case ("I", .null): return .impulse
        case ("h", .string(let text)): return Int64(text).map { .long($0) }
        case ("d", .string(let text)):
            return UInt64(text).map { .double(Double(bitPattern: $0)) }
        default: return nil
        }
    }

    /// The bytes of a blob; nil unless each value is an integer from 0 to 255.
    private static func bytes(_ values: [Value]) -> [UInt8]? {
        let bytes = values.compactMap { value -> UInt8? in
            guard case .int(let number) = value else { return nil }
            return UInt8(exactly: number)
        }
        return bytes.count == values.count ? bytes : nil
    }
}
