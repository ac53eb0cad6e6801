import GameFlow
package import Inputs
package import Parts

/// The template of a level of a diode, and the connection that sets it.
package struct LEDOutput: OutputTarget {
    package static let word = LEDEndpoint.word
    package static let form = "led=NAME level=N"
    package static let keys = ["level"]

    package let connection: String
    private let level: OutputTemplate

    package init(_ line: OnDirective) throws(ConfigurationError) {
        connection = try line.connection(Self.word)
        level = try line.template("level", try line.text("level"))
    }

    /// Throws also if the level is no number from 0 to 255.
    package func content(of occasion: OutputOccasion, id: String) throws(ContentError) -> LEDContent
    {
        let text = try level.text(
            for: "level", forbids: { _ in false }, occasion.value(of:),
            isValid: { UInt8($0) != nil }, otherwise: "expected a level from 0 to 255")
        return LEDContent(level: Int(text) ?? 0, connection: connection)
    }
}

/// A level, and the name of the connection that sets it.
package struct LEDContent: ConnectionContent {
    package let level: Int
    package let connection: String

    package var summary: String { "\(level)" }

    package func write(to device: LEDConnection, _ done: @escaping (_ failure: String?) -> Void) {
        done(device.set(level))
    }
}
