internal import FlowAnalysis
internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Timers

/// The methods that describe the daemon and its flows.
extension Dispatcher {
    func ping(_ writer: inout JSONWriter) {
        guard let outage = sessions.outage else { return writer.raw("{\"pong\":true}") }
        writer.object([Member("pong", .bool(true)), Member("storage", outage)])
    }

    func hello(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string("gamed")
        writer.name("version")
        writer.string(identity.version)
        writer.name("protocol")
        writer.int(1)
        writer.name("instance")
        writer.string(identity.instance)
        writer.name("clock")
        writer.string(sessions.isVirtual ? "virtual" : "real")
        writer.name("limits")
        limits(&writer)
        writer.name("flows")
        writer.strings(sessions.flows.map(\.name))
        writer.name("methods")
        writer.strings(Method.allCases.map(\.name))
        writer.endObject()
    }

    private func limits(_ writer: inout JSONWriter) {
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

    /// The description of a flow, computed from its selector.
    func describe(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError) {
        let flow = try flow(params) ?? sessions.flows[0]
        let survey = flow.survey
        writer.beginObject()
        writer.name("flow")
        writer.string(flow.name)
        writer.name("version")
        writer.int(flow.version)
        writer.name("initial")
        writer.string(flow.initial)
        writer.name("states")
        writer.beginArray()
        for found in survey { state(found, flow, &writer) }
        writer.endArray()
        writer.name("events")
        writer.beginArray()
        for event in flow.events { form(event.name, "args", event.parameters, &writer) }
        writer.endArray()
        writer.name("signals")
        writer.strings(flow.signals)
        writer.name("transitions")
        writer.beginArray()
        for found in survey { transitions(found, &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// The diagram of a flow.
    func graph(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError) {
        let name = params.text(.format) ?? Diagram.Format.mermaid.rawValue
        guard let format = Diagram.Format(rawValue: name) else {
            let all = Diagram.Format.allCases.map(\.rawValue)
            throw .invalidParams("format: expected \(all.joined(separator: ", "))")
        }
        let flow = try flow(params) ?? sessions.flows[0]
        writer.string(Diagram(flow).text(format))
    }

    private func form(
        _ name: String, _ what: StaticString, _ fields: [Field], _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("name")
        writer.string(name)
        self.fields(what, fields, &writer)
        writer.endObject()
    }

    private func fields(_ what: StaticString, _ fields: [Field], _ writer: inout JSONWriter) {
        writer.name(what)
        writer.beginArray()
        for field in fields {
            writer.beginObject()
            writer.name("name")
            writer.string(field.name)
            writer.name("type")
            writer.string(field.type)
            if !field.values.isEmpty {
                writer.name("values")
                writer.strings(field.values)
            }
            if field.isOptional {
                writer.name("optional")
                writer.bool(true)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func state(_ found: FlowModel, _ flow: AnyFlow, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string(found.state)
        fields("data", flow.data(of: found.state), &writer)
        writer.name("final")
        writer.bool(flow.finals.contains(found.state))
        writer.name("timers")
        writer.beginArray()
        for timer in found.timers {
            writer.beginObject()
            writer.name("fires")
            writer.string(timer.fires)
            writer.name("kind")
            writer.string(timer.info.isPendulum ? "pendulum" : "countdown")
            writer.name("totalMs")
            writer.int(Int(timer.info.total.milliseconds))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private func transitions(_ found: FlowModel, _ writer: inout JSONWriter) {
        for row in found.transitions {
            writer.beginObject()
            writer.name("from")
            writer.string(found.state)
            writer.name("on")
            writer.string(row.on)
            writer.name("to")
            writer.string(row.to)
            writer.name("effects")
            writer.strings(row.effects)
            writer.endObject()
        }
    }
}
