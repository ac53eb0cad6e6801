package import EventLoop
package import Outputs
package import Parts
package import Sessions
import Timers

/// Where an `on` line of one kind sends its outputs, and from which templates their contents are made. `RoomKinds` lists the
/// kinds. If the kind has connections, its folder also has a type that conforms to `ConnectionEndpoint`.
package protocol OutputTarget: Equatable, SendableMetatype {
    associatedtype Content: OutputContent

    /// The key that selects the kind of target, such as `mqtt`.
    static var word: String { get }
    /// The syntax of the words that only this kind has; shown in the manual.
    static var form: String { get }
    /// The other keys that only this kind has.
    static var keys: [String] { get }
    /// The keys among them that can be given several times.
    static var repeatableKeys: [String] { get }
    /// The keys among them whose values are files with secrets.
    static var fileKeys: [String] { get }
    /// The limits of the kind that clients see; they are rows of `ServerLimits.table`.
    static var limits: [Limit] { get }
    /// What a line needs of the systemd unit, beside what its connection needs.
    static var serviceNeeds: [ServiceNeed] { get }

    /// Reads the words that only this kind has.
    init(_ line: OnDirective) throws(ConfigurationError)
    /// The name of the target, as operators see it.
    var name: String { get }
    /// The name of the target of the outputs for a session; see `OutputLine.targetName`.
    func name(for session: SessionName) -> String
    /// The name by which an operator switches outputs off and on: the name of the connection, or the word of a kind that uses
    /// none.
    var connection: String { get }
    /// Whether the target uses a connection of the room. The name in `connection` does not tell: a connection of the room can
    /// have the name `http` or `run`.
    var usesConnection: Bool { get }
    /// How long an attempt may take.
    func timeout(maxAge: Duration) -> Duration
    /// The content to send. Throws if a value is missing, too long, or contains a separator, such as `/` in a topic. `id` is the
    /// id of the output.
    func content(of occasion: OutputOccasion, id: String) throws(ContentError) -> Content
    /// What makes the attempts of this kind.
    static func sender(_ connections: RoomConnections, on loop: LibeventLoop)
        throws(EventLoopError) -> any OutputSender

    /// The reason why no node can send what a line asks for, for `--check`; nil if a node may be able to.
    static func mistake(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        -> ConfigurationError?
    /// The reason why this machine cannot send what one of its lines asks for, for `--check`; nil if it may be able to.
    static func localMistake(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        -> ConfigurationError?
}

/// A kind that lacks something.
extension OutputTarget {
    package static var repeatableKeys: [String] { [] }
    package static var fileKeys: [String] { [] }
    package static var limits: [Limit] { [] }
    package static var serviceNeeds: [ServiceNeed] { [] }
    package var name: String { "\(Self.word) \(connection)" }
    package func name(for session: SessionName) -> String { name }
    package var usesConnection: Bool { true }
    package func timeout(maxAge: Duration) -> Duration { DeliveryLimit.timeout }
    package static func mistake(_: ConfigurationFile.Line, _: ConfigurationFile)
        -> ConfigurationError?
    {
        nil
    }
    package static func localMistake(_: ConfigurationFile.Line, _: ConfigurationFile)
        -> ConfigurationError?
    { nil }
}

/// What an output sends.
package protocol OutputContent {
    /// The content as a short text for operators.
    var summary: String { get }
}

/// Makes the attempts to send contents of one kind. `OutputSenders` has one of each kind.
package protocol OutputSender: AnyObject {
    associatedtype Content: OutputContent

    /// Makes one attempt, and calls `done` at most once: before it returns, or later.
    func send(
        _ content: Content, _ attempt: OutputAttempt, _ done: @escaping (DeliveryResult) -> Void)
    /// Does what takes longer than an attempt may take. Called at the start and when the configuration is read again.
    func prepare(for targets: [any OutputTarget])
    /// Ends what runs, and calls `done` when it has ended.
    func end(_ done: @escaping () -> Void)
}

extension OutputSender {
    /// Makes the attempt if its content is of this kind. Returns whether it is.
    package func take(_ attempt: OutputAttempt, _ done: @escaping (DeliveryResult) -> Void) -> Bool
    {
        guard let content = attempt.content as? Content else { return false }
        send(content, attempt, done)
        return true
    }

    package func prepare(for targets: [any OutputTarget]) {}
    package func end(_ done: @escaping () -> Void) { done() }
}
