package import GameFlow
package import Parts

/// An input of a device of the room, such as an MQTT message or the press of a key.
package protocol RoomInput {
    /// The name of the peer that sent the input. The source of the input's event contains this name. It is an MQTT topic, the
    /// address of an OSC sender, the name of a serial connection, or the path or name of an evdev device.
    var peer: String { get }
    /// The input as text for operators. Bytes that are not UTF-8 are replaced by U+FFFD.
    var shownText: String { get }
}

/// Returns the value of the part of an input that a placeholder names; nil if the input does not have the part.
package typealias InputValues = (_ part: InputPlaceholder) -> Value?

/// The condition of a `map` line on the inputs of one kind of connection.
package protocol InputPattern: Equatable, SendableMetatype {
    associatedtype Input: RoomInput

    /// The syntax of the condition; shown in the manual.
    static var form: String { get }
    /// The keys of the condition.
    static var keys: [String] { get }
    /// The keys among them whose value may be empty.
    static var keysOfEmptyValues: [String] { get }
    /// Reads the condition of a line.
    init(_ line: MapWords) throws(ConfigurationError)
    /// The condition as it is in the line.
    var text: String { get }
    /// Whether an input that matches can have a value for this placeholder.
    func mayHaveValue(for placeholder: InputPlaceholder) -> Bool
    /// The values of the line's placeholders; nil if the input does not match.
    func values(of input: Input) -> InputValues?
}

extension InputPattern {
    package static var keysOfEmptyValues: [String] { [] }

    /// As `values(of:)`; nil for an input of another kind.
    package func values(ofInput input: any RoomInput) -> InputValues? {
        guard let input = input as? Input else { return nil }
        return values(of: input)
    }
}
