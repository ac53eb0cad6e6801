/// The text of a flow file. The journal keeps the text with the sessions that play the flow. So these sessions can be restored
/// without the file.
public final class FlowSource: Equatable, Sendable {
    /// The version: the first twelve hexadecimal digits of the text's SHA-256.
    public let version: String
    /// The text in UTF-8.
    public let text: [UInt8]

    public init(version: String, text: [UInt8]) { (self.version, self.text) = (version, text) }

    /// Compares only the versions: texts with equal hashes are regarded as equal.
    public static func == (a: FlowSource, b: FlowSource) -> Bool { a.version == b.version }
}

/// The error for a recorded version of a flow that this program cannot use.
public struct UnusableVersionError: Error {
    /// Why the version cannot be used, for the operator.
    public let why: String

    public init(why: String) { self.why = why }
}
