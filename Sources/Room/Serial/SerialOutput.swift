package import GameFlow
package import Inputs
package import Parts
import Support

/// The template of a line to a serial device, and the connection that writes it.
package struct SerialOutput: RelayableTarget {
    package static let word = SerialEndpoint.word
    package static let form = "serial=NAME line=TEXT"
    package static let keys = ["line"]

    package let connection: String
    private let template: OutputTemplate

    package init(_ line: OnDirective) throws(ConfigurationError) {
        connection = try line.connection(Self.word)
        template = try line.template("line", try line.text("line"))
    }

    /// Throws also if a value has a control character, because a character such as LF would end the line.
    package func content(of occasion: OutputOccasion, id: String) throws(ContentError)
        -> SerialContent
    {
        let text = try template.text(
            for: "line", forbids: SerialContent.isControl, occasion.value(of:),
            isValid: { $0.utf8.count <= LineSplitter.maximumBytes },
            otherwise: "longer than \(LineSplitter.maximumBytes) bytes")
        return SerialContent(text: text, connection: connection)
    }

    package func own(_ content: SerialContent) -> SerialContent? {
        content.connection.hasSameBytes(as: connection) ? content : nil
    }
}

/// A line, and the name of the connection that writes it.
package struct SerialContent: RelayableContent, ConnectionContent {
    package let text: String
    package let connection: String

    package var summary: String { text }

    package var members: [Member] { [Member("serial", connection), Member("text", text)] }

    package func write(to device: SerialConnection, _ done: @escaping (_ failure: String?) -> Void)
    {
        device.write(text, done)
    }

    fileprivate static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F
    }
}

extension SerialContent {
    package init?(_ members: [Member]) {
        guard let connection = members["serial"]?.text, let text = members["text"]?.text,
            text.utf8.count <= LineSplitter.maximumBytes,
            !text.unicodeScalars.contains(where: Self.isControl)
        else { return nil }
        self.init(text: text, connection: connection)
    }
}
