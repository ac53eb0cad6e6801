internal import FlowAnalysis
internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The methods `ping` and `hello`, which describe the daemon, and `describe` and `graph`, which describe its flows.
extension Dispatcher {
    /// The version of the protocol.
    private static let protocolVersion = 1

    /// Answers `ping`. If the store does not work, the result also says why.
    func ping(_ caller: any Caller, _ writer: inout JSONWriter) {
        guard let outage = sessions.outage else { return writer.raw("{\"pong\":true}") }
        let why = caller.rights.has(.operate) ? outage : RequestError.storageFailed
        writer.object([Member("pong", .bool(true)), Member("storage", why)])
    }

    /// Writes the daemon's identity, limits, flows and methods. The parameter `redirects` says whether the caller wants to get
    /// the address of a session's owner instead of a forwarded answer.
    func hello(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter) {
        if params.has(.redirects) { router?.setRedirects(params.isTrue(.redirects), for: caller) }
        writer.beginObject()
        writer.name("name")
        writer.string("gamed")
        writer.name("version")
        writer.string(identity.version)
        writer.name("commit")
        writer.string(identity.commit)
        writer.name("protocol")
        writer.int(Self.protocolVersion)
        writer.name("instance")
        writer.string(identity.instance)
        writer.name("clock")
        writer.string(sessions.isVirtual ? "virtual" : "real")
        writer.name("node")
        writer.string(identity.node)
        writer.name("store")
        writer.string(identity.store)
        writer.name("limits")
        writeLimits(&writer)
        writer.name("flows")
        writer.strings(sessions.flows.map(\.name))
        writer.name("methods")
        writer.strings(Method.allCases.map(\.name))
        writer.endObject()
    }

    /// Writes the limits of the server, of the protocol and of sessions, by name.
    private func writeLimits(_ writer: inout JSONWriter) {
        writer.beginObject()
        for (name, limit) in identity.limits {
            writer.key(name)
            writer.int(limit)
        }
        for limit in WireLimits.table {
            writer.key(limit.name)
            writer.int(limit.value(sessions.limits))
        }
        writer.endObject()
    }

    /// Writes the description of a flow, or of the version of a flow that a session plays. The result is deferred if the flow has
    /// to be surveyed first.
    func describe(
        _ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let (flow, view) = try requestedFlow(params, .describe, caller)
        // The text of a flow file needs the role `operate`. A caller with a limited view lacks this role, so that `check`
        // throws the error.
        if params.isTrue(.source), view != .full {
            try check(.describe, caller, needing: .operate)
        }
        let showsText = params.isTrue(.source)
        let presentation = try presentation(of: flow, params.text(.language))
        guard let surveyor, !flow.isSurveyed else {
            FlowWriter(flow, view, presentation).write(showsText: showsText, to: &writer)
            return .succeeded
        }
        return .deferred(
            DeferredResult(assumedBytes: Self.assumedBytes(of: flow, showsText)) { done in
                surveyor.survey(flow) {
                    done(
                        .success {
                            FlowWriter(flow, view, presentation).write(
                                showsText: showsText, to: &$0)
                        })
                }
            })
    }

    /// Returns how a flow is shown to people in a language: without one, in the language of the flow's settings.
    private func presentation(of flow: AnyFlow, _ language: String?) throws(CallError)
        -> FlowPresentation
    {
        guard let language else { return flow.presentation }
        if let presentation = flow.presentation(in: language) { return presentation }
        let languages = flow.presentation.languages
        throw .invalidParams(
            languages.isEmpty
                ? "language: the flow \(flow.name) has its texts in one language"
                : "language: expected one of \(languages.joined(separator: ", "))")
    }

    /// The assumed size of a flow's description in bytes, for the limit of a batch's reply: the survey is not known yet.
    private static func assumedBytes(of flow: AnyFlow, _ showsText: Bool) -> Int {
        let tableBytes = (flow.source?.tableFiles ?? []).reduce(0) { $0 + $1.bytes.count }
        let textBytes = showsText ? (flow.source?.text.count ?? 0) + tableBytes : 0
        return textBytes + 256 * (1 + flow.stateNames.count + flow.events.count)
    }

    /// Writes the diagram of a flow, or of the version of a flow that a session plays.
    func graph(
        _ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let formatName = params.text(.format) ?? Diagram.Format.mermaid.rawValue
        let (flow, view) = try requestedFlow(params, .graph, caller)
        let hidden = view.namesToHide(flow.hidden)
        let format = Diagram.Format(rawValue: formatName)
        guard format != nil || formatName == Self.drawnFormat else {
            throw .invalidParams("format: expected \(Self.graphFormats.joined(separator: ", "))")
        }
        if format == nil, diagramDrawer == nil {
            throw .invalidParams("format: this daemon draws no diagrams")
        }
        if let format, surveyor == nil || flow.isSearched {
            writer.string(Diagram(flow, hiding: hidden).text(format))
            return .succeeded
        }
        return .deferred(
            DeferredResult { [diagramDrawer, surveyor] done in
                let write = {
                    let diagram = Diagram(flow, hiding: hidden)
                    guard let format else {
                        Self.draw(diagram.text(.dot), diagramDrawer, done)
                        return
                    }
                    done(.success { $0.string(diagram.text(format)) })
                }
                if let surveyor { surveyor.search(flow, write) } else { write() }
            })
    }

    /// The one format that needs Graphviz.
    private static let drawnFormat = "svg"
    /// The formats of a diagram.
    static let graphFormats = Diagram.Format.allCases.map(\.rawValue) + [drawnFormat]

    /// Converts a diagram from DOT, the language of Graphviz, to SVG.
    private static func draw(
        _ dot: String, _ drawer: (any DiagramDrawer)?,
        _ done: @escaping (DeferredResult.Outcome) -> Void
    ) {
        drawer?.draw(dot) { svg, why in
            done(
                svg.map { svg in .success { $0.string(svg) } }
                    ?? .failure(.invalidParams("format: \(why)")))
        }
    }

    /// Returns the flow that a request is about, and the caller's view of the flow. If the request names a session, the flow is
    /// the version that the session plays. If the request names a flow, it is that flow. If the request names neither, it is
    /// the daemon's first flow.
    private func requestedFlow(_ params: borrowing Params, _ method: Method, _ caller: any Caller)
        throws(CallError) -> (flow: AnyFlow, view: SessionView)
    {
        guard params.has(.session) else {
            try check(method, caller)
            let flow = try flow(params) ?? sessions.flows[0]
            return (flow, caller.rights.hasEverywhere(.operate) ? .full : .limited)
        }
        if params.has(.flow) { throw .invalidParams("flow: not allowed together with session") }
        let session = try session(params, method, caller)
        return (session.flow, caller.rights.view(session.name))
    }
}
