import GameFlow
package import JSONCoding
package import RPC
import Sessions

/// The method `flows`: lists the flows and their versions.
package struct FlowsMethod: PartMethod {
    package let method = Method.flows
    private let library: FlowLibrary

    package init(_ library: FlowLibrary) { self.library = library }

    /// Writes the flows with which sessions can be opened, and then the withdrawn flows. No session can be opened with a
    /// withdrawn flow any more, but some sessions still play it. Also writes the mistakes and warnings about flow
    /// files.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let sessions = dispatcher.sessions
        // The number of sessions that play each version of each flow.
        let counts = sessions.versionCounts
        let offeredFlows = sessions.flows
        let withdrawnNames = counts.map(\.flow).filter { name in
            !offeredFlows.contains { $0.name == name }
        }
        writer.beginObject()
        writer.name("flows")
        writer.beginArray()
        for flow in offeredFlows {
            writeFlow(flow, counts.filter { $0.flow == flow.name }, &writer)
        }
        for name in Set(withdrawnNames).sorted() {
            writer.beginObject()
            writer.name("flow")
            writer.string(name)
            writer.name("sessions")
            // The number of sessions with the present version. A withdrawn flow has only older versions.
            writer.int(0)
            writeOlderVersions(counts.filter { $0.flow == name }, &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.name("mistakes")
        writer.strings(library.mistakes)
        writer.name("warnings")
        writer.strings(library.warnings)
        writer.endObject()
        return .succeeded
    }

    /// Writes a flow with which sessions can be opened. `counts` are the numbers of sessions that play its versions.
    private func writeFlow(
        _ flow: AnyFlow, _ counts: [Sessions.VersionCount], _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("flow")
        writer.string(flow.name)
        writer.version(of: flow)
        if let title = flow.presentation.flow.title {
            writer.name("title")
            writer.string(title)
        }
        if let file = library.file(of: flow.name) {
            writer.name("file")
            writer.string(file)
        }
        writer.name("sessions")
        writer.int(counts.first { $0.version == flow.versionText }?.sessions ?? 0)
        writeOlderVersions(counts.filter { $0.version != flow.versionText }, &writer)
        writer.endObject()
    }

    /// Writes the older versions. No session can be opened with an older version any more, but some sessions still play it.
    private func writeOlderVersions(_ counts: [Sessions.VersionCount], _ writer: inout JSONWriter) {
        writer.name("older")
        writer.beginArray()
        for count in counts {
            writer.object([
                Member("version", count.version), Member("sessions", count.sessions),
            ])
        }
        writer.endArray()
    }
}
