public import GameFlow
public import Support

/// The flow that a session plays: its name, its version and its settings.
public struct FlowChoice: Equatable, Sendable {
    public var name: String
    /// The version of the flow's text; nil if the flow is compiled into the program.
    public var sourceVersion: String?
    /// The settings that differ from the flow's own values, as they are written in a configuration.
    public var settings: [Member]

    public init(_ name: String, sourceVersion: String?, settings: [Member]) {
        (self.name, self.sourceVersion, self.settings) = (name, sourceVersion, settings)
    }

    /// The flow that a recorded session plays.
    public init(_ status: SessionRecord.Status) {
        self.init(status.flow, sourceVersion: status.sourceVersion, settings: status.settings)
    }

    /// Why there is no flow with the name, the version and the settings.
    public struct UnavailableError: DescribedError {
        public let why: String
    }
}
