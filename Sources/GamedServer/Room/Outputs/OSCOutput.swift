import GameFlow
import Inputs

/// The templates of an OSC message, the numeric address of its receiver, and the connection that sends it.
struct OSCOutput: Equatable {
    let connection: String
    let host: String
    let port: UInt16
    let address: OutputTemplate
    let arguments: [OSCArgumentTemplate]

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
            guard let value = argument.value(valueOf) else { return nil }
            values.append(value)
        }
        return .osc(OSCMessage(name, values), connection: connection, host: host, port: port)
    }
}
