/// The text from which a flow is built that is not compiled into the program. The journal keeps it with the sessions
/// that play it, so that they can be restored without the file.
public final class FlowSource: Equatable, Sendable {
    /// The version: the first twelve hexadecimal digits of the text's SHA-256.
    public let version: String
    public let text: [UInt8]

    public init(version: String, text: [UInt8]) { (self.version, self.text) = (version, text) }

    /// Texts with the same version are the same.
    public static func == (a: FlowSource, b: FlowSource) -> Bool { a.version == b.version }
}

/// The error for a recorded version of a flow that this program cannot use.
public struct UnusableVersionError: Error {
    public let why: String

    public init(why: String) { self.why = why }
}
