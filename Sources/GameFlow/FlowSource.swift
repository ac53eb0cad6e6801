/// The text of a flow file, and those of its table files. The journal keeps the texts with the sessions that play the flow. So
/// these sessions can be restored without the files.
public final class FlowSource: Equatable, Sendable {
    /// A file beside the flow file from which the flow reads a table.
    public struct TableFile: Equatable, Sendable {
        /// The name of the file, without a directory.
        public let name: String
        /// The bytes of the file.
        public let bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }

    /// The version: the first twelve hexadecimal digits of a SHA-256 over the text and the table files.
    public let version: String
    /// The text in UTF-8.
    public let text: [UInt8]
    /// The table files, in the order in which the text names them; empty for a flow without table files.
    public let tableFiles: [TableFile]

    /// The texts of the table files, by the names of the files.
    package var tableTexts: [Member] {
        tableFiles.map { Member($0.name, .string(String(decoding: $0.bytes, as: UTF8.self))) }
    }

    public init(version: String, text: [UInt8], tableFiles: [TableFile] = []) {
        (self.version, self.text, self.tableFiles) = (version, text, tableFiles)
    }

    /// Compares only the versions: texts with equal hashes are regarded as equal.
    public static func == (a: FlowSource, b: FlowSource) -> Bool { a.version == b.version }
}

/// The error for a recorded version of a flow that this program cannot use.
package struct UnusableVersionError: Error {
    /// Why the version cannot be used, for the operator.
    public let why: String

    public init(why: String) { self.why = why }
}
