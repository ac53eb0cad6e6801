internal import GameFlow

/// A version of a flow that sessions play.
package struct FlowVersion: Hashable, Sendable {
    package let flow: String
    /// The version of the flow's text; nil if the flow is compiled into the program.
    package let sourceVersion: String?
    /// The version number that a compiled flow declares; nil if the journal records none.
    package let number: Int?

    package init(_ flow: String, sourceVersion: String?, number: Int?) {
        (self.flow, self.sourceVersion, self.number) = (flow, sourceVersion, number)
    }

    /// The version of a flow that is loaded.
    init(_ flow: AnyFlow) {
        self.init(flow.name, sourceVersion: flow.source?.version, number: flow.version)
    }

    package init(_ status: SessionRecord.Status) {
        self.init(
            status.flow, sourceVersion: status.sourceVersion, number: status.flowVersion)
    }

    /// The version as clients see it: the number, or the beginning of the SHA-256 of the flow's text; empty if unknown.
    package var text: String { sourceVersion ?? number.map { "\($0)" } ?? "" }
}
