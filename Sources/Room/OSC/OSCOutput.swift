import EventLoop
package import GameFlow
package import Inputs
import Net
package import Parts
import Support

/// The templates of an OSC message, the numeric address of its receiver, and the connection that sends it.
package struct OSCOutput: RelayableTarget {
    package static let word = OSCEndpoint.word
    package static let form = "osc=NAME to=ADDRESS:PORT address=TEXT [args=JSON]"
    package static let keys = ["to", "address", "args"]

    package let connection: String
    private let host: String
    private let port: UInt16
    private let address: OutputTemplate
    private let arguments: [OSCArgumentTemplate]

    package init(_ line: OnDirective) throws(ConfigurationError) {
        guard case .network(let host, let port)? = Address(try line.text("to")), port > 0,
            HostLookup.numericAddresses(of: host, port) != nil
        else { throw line.mistake("to", "expected a numeric address and a port") }
        let address = try line.text("address")
        guard address.hasPrefix("/") else {
            throw line.mistake("address", "expected an OSC address such as /cue/1/start")
        }
        (self.host, self.port) = (host, port)
        connection = try line.connection(Self.word)
        self.address = try line.template("address", address)
        arguments = try OSCArgumentTemplate.list(line)
    }

    package var name: String { "osc \(host):\(port)" }

    package func content(of occasion: OutputOccasion, id: String) throws(ContentError)
        -> OSCContent
    {
        try content(occasion.value(of:))
    }

    /// The message with the values that `valueOf` returns for the placeholders.
    package func content(_ valueOf: (OutputPlaceholder) -> Value?) throws(ContentError)
        -> OSCContent
    {
        // The separator, and the characters that OSC reserves for patterns.
        let forbidden = "/ #*,?[]{}".unicodeScalars
        let isForbidden = { (scalar: Unicode.Scalar) in
            scalar.value < 0x20 || forbidden.contains(scalar)
        }
        let name = try address.text(
            for: "address", forbids: isForbidden, valueOf, isValid: { _ in true }, otherwise: "")
        var values: [OSCArgument] = []
        for argument in arguments {
            guard let value = argument.value(valueOf) else {
                throw ContentError(
                    "args", argument.placeholders, valueOf, isUnfit: { _ in true }, otherwise: "")
            }
            values.append(value)
        }
        return OSCContent(
            message: OSCMessage(name, values), connection: connection, host: host, port: port)
    }

    package func own(_ content: OSCContent) -> OSCContent? {
        guard content.connection.hasSameBytes(as: connection), content.host.hasSameBytes(as: host),
            content.port == port
        else { return nil }
        return content
    }
}

/// An OSC message, the connection from whose socket it is sent, and the numeric address of its receiver.
package struct OSCContent: RelayableContent, ConnectionContent {
    package let message: OSCMessage
    package let connection: String
    package let host: String
    package let port: UInt16

    package var summary: String {
        "\(message.address) \(message.arguments.map { "\($0)" }.joined(separator: " "))"
    }

    package func write(to socket: OSCConnection, _ done: @escaping (_ failure: String?) -> Void) {
        done(socket.send(message, toHost: host, port: port))
    }

    package var members: [Member] {
        [
            Member("osc", connection), Member("host", host), Member("port", Int(port)),
            Member("address", message.address),
            Member("args", .array(message.arguments.map(\.value))),
        ]
    }
}

extension OSCContent {
    package init?(_ members: [Member]) {
        guard let connection = members["osc"]?.text, let host = members["host"]?.text,
            let address = members["address"]?.text, !address.utf8.contains(0),
            case .int(let number)? = members["port"], let port = UInt16(exactly: number),
            case .array(let values)? = members["args"]
        else { return nil }
        let arguments = values.compactMap(OSCArgument.argument)
        guard arguments.count == values.count else { return nil }
        self.init(
            message: OSCMessage(address, arguments), connection: connection, host: host, port: port)
    }
}

/// Arguments in a message between nodes.
extension OSCArgument {
    /// An argument as a list of two elements: the letter of its type, and its value. Floating-point numbers are written as
    /// their bits. Numbers of 64 bits are written as texts, because `Value` cannot hold all 64-bit numbers.
    fileprivate var value: Value {
        let (type, value): (String, Value) =
            switch self {
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
    fileprivate static func argument(_ value: Value) -> OSCArgument? {
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
