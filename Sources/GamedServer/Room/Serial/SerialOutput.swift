import GameFlow
import Inputs
import Support

/// The template of a line to a serial device, and the connection that writes it.
struct SerialOutput: RelayableTarget {
    static let word = SerialEndpoint.word
    static let form = "serial=NAME line=TEXT"
    static let keys = ["line"]

    let connection: String
    private let template: OutputTemplate

    init(_ line: OnDirective) throws(ConfigurationError) {
        connection = try line.connection(Self.word)
        template = try line.template("line", try line.text("line"))
    }

    /// Nil also if a value has a control character, because a character such as LF would end the line.
    func content(of occasion: OutputOccasion, id: String) -> SerialContent? {
        guard
            let text = template.text(forbids: SerialContent.isControl, occasion.value(of:)),
            text.utf8.count <= LineSplitter.maximumBytes
        else { return nil }
        return SerialContent(text: text, connection: connection)
    }

    func own(_ content: SerialContent) -> SerialContent? {
        content.connection.hasSameBytes(as: connection) ? content : nil
    }
}

/// A line, and the name of the connection that writes it.
struct SerialContent: RelayableContent, ConnectionContent {
    let text: String
    let connection: String

    var summary: String { text }

    var members: [Member] { [Member("serial", connection), Member("text", text)] }

    func write(to device: SerialConnection, _ done: @escaping (_ failure: String?) -> Void) {
        device.write(text, done)
    }

    fileprivate static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F
    }
}

extension SerialContent {
    init?(_ members: [Member]) {
        guard let connection = members["serial"]?.text, let text = members["text"]?.text,
            text.utf8.count <= LineSplitter.maximumBytes,
            !text.unicodeScalars.contains(where: Self.isControl)
        else { return nil }
        self.init(text: text, connection: connection)
    }
}
