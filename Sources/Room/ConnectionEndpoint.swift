package import EventLoop
package import GameFlow
package import Parts
import RPC

/// What a line of one kind connects to, such as the broker of an `mqtt` line, or where it listens. It is also the part of a
/// kind of device that `RoomKinds` lists. The folder of a kind has a type that conforms to this protocol, the pattern of its
/// `map` lines (`InputPattern`), and, if the device can receive outputs, the target of its `on` lines.
package protocol ConnectionEndpoint: Equatable, SendableMetatype {
    /// The name of the kind: the first word of its lines, and the key that names a connection in `map` and `on` lines. It is
    /// also the kind of source that the journal records.
    static var word: String { get }
    /// The syntax of the line after `word`; shown in the manual and in messages.
    static var form: String { get }
    /// The texts of the manual.
    static var sentence: String { get }
    static var details: String { get }
    /// The keys of the words `KEY=VALUE`.
    static var keys: [String] { get }
    /// The keys among them whose values are files with secrets and certificates.
    static var fileKeys: [String] { get }
    /// What the line needs of the systemd unit.
    static var serviceNeed: ServiceNeed { get }
    /// The conditions of the `map` lines.
    static var pattern: any InputPattern.Type { get }

    /// Whether the name is followed by an address or a path.
    static func hasLocation(_ line: ConnectionDirective) -> Bool
    /// Reads the words of a line.
    init(_ line: ConnectionDirective) throws(ConfigurationError)
    /// The endpoint for one of several nodes that all use the line.
    func ofNode(_ node: String) -> Self
    /// Creates the connection, which `InputConnection.start` opens.
    func connection(for line: ConnectionLine, on loop: LibeventLoop) throws(EventLoopError)
        -> RoomConnection

    /// A possible mistake in a line, for `--check`; nil for a line without one.
    static func note(_ line: ConfigurationFile.Line, in file: ConfigurationFile)
        -> ConfigurationError?
    /// Possible mistakes in several lines together, for `--check`.
    static func notes(
        _ file: ConfigurationFile, _ connections: [ConnectionLine], _ flows: [AnyFlow]
    ) -> [ConfigurationError]
}

/// A kind that lacks something.
extension ConnectionEndpoint {
    package static var details: String { "" }
    package static var fileKeys: [String] { [] }
    package static func hasLocation(_ line: ConnectionDirective) -> Bool { true }
    package func ofNode(_ node: String) -> Self { self }
    package static func note(_: ConfigurationFile.Line, in _: ConfigurationFile)
        -> ConfigurationError?
    {
        nil
    }
    package static func notes(_: ConfigurationFile, _: [ConnectionLine], _: [AnyFlow])
        -> [ConfigurationError]
    { [] }
}
