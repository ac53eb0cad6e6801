internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The methods `move` and `flows`, which concern the versions of flows, and `undo`. `move` and `undo` return the number of the
/// journal row that must be durable before the result is sent.
extension Dispatcher {
    /// Moves a session to the newest version of its flow, and writes the change that the move makes.
    func move(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry),
            sentSince: caller.sentSince)
        let session = try session(params, .move, caller)
        let answer: Answer<Change>
        do { answer = try sessions.move(session, context) } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }

    /// Takes a session back to its situation before its newest step, or after the change with the number `seq`. Writes the
    /// change that the undo makes.
    func undo(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry),
            sentSince: caller.sentSince)
        let seq = try params.count(.seq)
        let session = try session(params, .undo, caller)
        let answer: Answer<Change>
        do { answer = try sessions.undo(after: seq, session, context) } catch {
            throw .refused(error)
        }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }

    /// Writes the flows with which sessions can be opened, and then the withdrawn flows. No session can be opened with a
    /// withdrawn flow any more, but some sessions still play it. Also writes the mistakes and warnings about flow
    /// files.
    func flows(_ writer: inout JSONWriter) {
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
        writer.strings(flowFiles?.mistakes ?? [])
        writer.name("warnings")
        writer.strings(flowFiles?.warnings ?? [])
        writer.endObject()
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
        if let file = flowFiles?.file(of: flow.name) {
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
