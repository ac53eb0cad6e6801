/// The text of which a flow was made that is not compiled into the program. A journal keeps it with the sessions
/// that play it, so that they can be restored without the file.
public final class FlowSource: Sendable {
    /// The version: the first twelve hexadecimal digits of the text's SHA-256.
    public let version: String
    public let text: [UInt8]

    public init(version: String, text: [UInt8]) { (self.version, self.text) = (version, text) }
}
