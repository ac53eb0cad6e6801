package import EventLoop
import GameFlow
package import Inputs
import Net
package import Parts

/// The address of a line `osc`: the numeric address of this machine at which OSC messages are received, and from which other
/// OSC messages are sent.
package struct OSCEndpoint: ConnectionEndpoint {
    package static let word = "osc"
    package static let form = "NAME listen=ADDRESS:PORT"
    package static let sentence = "Receive OSC messages over UDP at this numeric address."
    package static let keys = ["listen"]
    package static var serviceNeed: ServiceNeed { .network(word, dropIn: word) }
    package static var pattern: any InputPattern.Type { OSCInputPattern.self }

    package let host: String
    package let port: UInt16

    package static func hasLocation(_ line: ConnectionDirective) -> Bool { false }

    package func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let socket = OSCConnection(host: host, port: port, on: loop)
        let connection = RoomConnection(line, socket)
        socket.onInput = { [unowned connection] message, sender in
            connection.onInput(OSCInput(message: message, peer: sender))
        }
        return connection
    }
}

extension OSCEndpoint {
    package init(_ line: ConnectionDirective) throws(ConfigurationError) {
        guard let address = line.value("listen") else { throw line.incomplete }
        guard case .network(let host, let port)? = Address(address),
            HostLookup.numericAddresses(of: host, port) != nil
        else {
            throw line.mistake(
                "listen", "expected a numeric address and a port, such as 0.0.0.0:9000")
        }
        self.init(host: host, port: port)
    }
}

/// An OSC message, and the address of its sender.
package struct OSCInput: RoomInput {
    package let message: OSCMessage
    package let peer: String

    /// The maximum number of arguments in `shownText`.
    private static let shownArguments = 16

    package var shownText: String {
        let arguments = message.arguments.prefix(Self.shownArguments).map { "\($0)" }
        return "\(message.address) \(arguments.joined(separator: " "))"
    }
}

/// The condition of a `map` line about OSC messages: their address matches, and their first argument is large enough.
package struct OSCInputPattern: InputPattern {
    package static let form = "address=PATTERN [min=NUMBER]"
    package static let keys = ["address", "min"]

    private let address: OSCPattern
    /// The least value of the first argument, which must be a number; nil if there is no such condition.
    private let min: Double?

    package init(_ line: MapWords) throws(ConfigurationError) {
        guard let address = OSCPattern(try line.text("address")) else {
            throw line.mistake("address", "expected an OSC address such as /vault/begin")
        }
        let min = line.optionalText("min").map { Double($0) ?? .nan }
        guard min?.isFinite != false else {
            throw line.mistake("min", "expected a number such as 0.5")
        }
        (self.address, self.min) = (address, min)
    }

    package var text: String { "address=\(address.text)" }

    package func mayHaveValue(for placeholder: InputPlaceholder) -> Bool {
        if case .number(let number) = placeholder { number <= OSCLimit.arguments } else { false }
    }

    package func values(of input: OSCInput) -> InputValues? {
        let message = input.message
        guard address.matches(message.address) else { return nil }
        if let min {
            guard let number = message.arguments.first?.number, number >= min else { return nil }
        }
        return { part in
            guard case .number(let position) = part, position <= message.arguments.count else {
                return nil
            }
            return Self.value(message.arguments[position - 1])
        }
    }

    /// The value of an argument; nil for a kind of argument that flows do not have. A number becomes an integer if it has no
    /// fraction and `Value` can hold it, else a text, because flows have no fractions.
    private static func value(_ argument: OSCArgument) -> Value? {
        switch argument {
        case .text(let text): return .string(text)
        case .truth(let truth): return .bool(truth)
        case .null, .impulse, .blob: return nil
        case .int, .float, .long, .double:
            guard let number = argument.number else { return nil }
            guard let whole = Int(exactly: number), abs(number) <= Double(Value.largest) else {
                return .string("\(number)")
            }
            return .int(whole)
        }
    }
}
