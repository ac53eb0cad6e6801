public import GameFlow

extension AnyFlow {
    /// The version as clients see it: a number, or the beginning of the text's SHA-256.
    public var versionText: String { source?.version ?? "\(version)" }
}

extension Sessions {
    /// A version of a flow, and the number of open sessions that play it.
    public struct VersionCount: Equatable, Sendable {
        public let flow: String
        public let version: String
        public let sessions: Int
    }

    /// The flows that decoded sessions play; two settings of a version are two flows.
    package var playedFlows: [AnyFlow] { index.flowCounts.values.map(\.flow) }

    /// The versions that decoded sessions play, in the order of flow and version.
    public var versionCounts: [VersionCount] {
        var versions: [String: VersionCount] = [:]
        for (flow, sessions) in index.flowCounts.values {
            let key = "\(flow.name) \(flow.versionText)"
            versions[key] = VersionCount(
                flow: flow.name, version: flow.versionText,
                sessions: (versions[key]?.sessions ?? 0) + sessions)
        }
        return versions.values.sorted { ($0.flow, $0.version) < ($1.flow, $1.version) }
    }
}
