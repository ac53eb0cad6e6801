internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The methods for the versions of flows, and `undo`.
extension Dispatcher {
    /// Returns the journal row that the result waits for.
    func move(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry))
        let session = try session(params, .move, caller)
        let answer: Answer<Change>
        do { answer = try sessions.move(session, context) } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }

    /// Returns the journal row that the result waits for.
    func undo(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry))
        let seq = try params.count(.seq)
        let session = try session(params, .undo, caller)
        let answer: Answer<Change>
        do { answer = try sessions.undo(after: seq, session, context) } catch {
            throw .refused(error)
        }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }

    /// Writes the flows with which sessions can be opened. After them, writes the withdrawn flows: no session can be opened
    /// with them any more, but open sessions still play them.
    func flows(_ writer: inout JSONWriter) {
        let counts = sessions.versionCounts
        let offered = sessions.flows
        let withdrawn = counts.map(\.flow).filter { flow in !offered.contains { $0.name == flow } }
        writer.beginObject()
        writer.name("flows")
        writer.beginArray()
        for flow in offered { writeFlow(flow, counts.filter { $0.flow == flow.name }, &writer) }
        for name in Set(withdrawn).sorted() {
            writer.beginObject()
            writer.name("flow")
            writer.string(name)
            writer.name("sessions")
            writer.int(0)
            writeVersions(counts.filter { $0.flow == name }, &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.name("mistakes")
        writer.strings(flowFiles?.mistakes ?? [])
        writer.endObject()
    }

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
        writeVersions(counts.filter { $0.version != flow.versionText }, &writer)
        writer.endObject()
    }

    private func writeVersions(_ counts: [Sessions.VersionCount], _ writer: inout JSONWriter) {
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
