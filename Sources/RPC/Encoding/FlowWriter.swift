internal import GameFlow
internal import JSONCoding
internal import Timers

/// Writes the description of a flow, computed from its selector, for a view.
struct FlowWriter {
    private let flow: AnyFlow
    private let view: View
    private let hidden: HiddenNames?
    private let presentation: FlowPresentation

    init(_ flow: AnyFlow, _ view: View) {
        (self.flow, self.view) = (flow, view)
        (hidden, presentation) = (view.hides(flow.hidden), flow.presentation)
    }

    /// Writes the description. `showsText` adds the text of a flow file.
    func write(showsText: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("flow")
        writer.string(flow.name)
        label(presentation.flow, &writer)
        writer.version(of: flow)
        writer.name("initial")
        writer.string(flow.initial)
        states(&writer)
        events(&writer)
        writer.name("signals")
        writer.strings(flow.signals.filter { hidden?.hidesEvent($0) != true })
        writer.name("transitions")
        writer.beginArray()
        for found in flow.survey { transitions(found, &writer) }
        writer.endArray()
        if view == .full { settings(&writer) }
        if showsText, let source = flow.source {
            writer.name("source")
            writer.string(String(decoding: source.text, as: UTF8.self))
        }
        writer.endObject()
    }

    /// The title, and for peers that may operate also the note and whether players do not see it.
    private func label(_ label: FlowPresentation.Label?, _ writer: inout JSONWriter) {
        guard let label else { return }
        if let title = label.title {
            writer.name("title")
            writer.string(title)
        }
        guard view == .full else { return }
        if let note = label.note {
            writer.name("note")
            writer.string(note)
        }
        if label.isHidden {
            writer.name("hidden")
            writer.bool(true)
        }
    }

    private func settings(_ writer: inout JSONWriter) {
        if flow.settings.isEmpty { return }
        writer.name("settings")
        writer.beginArray()
        for setting in flow.settings {
            writer.object([
                Member("name", setting.name), Member("type", setting.type),
                Member("value", setting.value),
            ])
        }
        writer.endArray()
    }

    // MARK: states

    private func states(_ writer: inout JSONWriter) {
        writer.name("states")
        writer.beginArray()
        for found in flow.survey { state(found, presentation.states[found.state], &writer) }
        writer.endArray()
    }

    private func state(
        _ found: FlowModel, _ shown: FlowPresentation.State?, _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("name")
        writer.string(found.state)
        label(shown?.label, &writer)
        let fields = flow.data(of: found.state).filter {
            hidden?.hidesDatum($0.name, in: found.state) != true
        }
        self.fields("data", fields, shown?.data ?? [:], &writer)
        writer.name("final")
        writer.bool(flow.finals.contains(found.state))
        writer.name("timers")
        writer.beginArray()
        for timer in found.timers where hidden?.hidesTimer(timer.fires, in: found.state) != true {
            self.timer(timer, shown?.timers[timer.fires], &writer)
        }
        writer.endArray()
        if let shown { screen(shown, &writer) }
        writer.endObject()
    }

    private func timer(
        _ timer: LiveTimer, _ shown: FlowPresentation.Label?, _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("fires")
        writer.string(timer.fires)
        label(shown, &writer)
        writer.name("kind")
        writer.string(timer.info.isPendulum ? "pendulum" : "countdown")
        writer.name("totalMs")
        writer.int(Int(timer.info.total.milliseconds))
        writer.endObject()
    }

    /// The players' screen in a state.
    private func screen(_ state: FlowPresentation.State, _ writer: inout JSONWriter) {
        if let clock = state.clock {
            writer.name("clock")
            writer.string(clock)
        }
        let shown = [("text", state.text), ("picture", state.picture), ("sound", state.sound)]
            .compactMap { name, value in value.map { Member(name, $0) } }
        guard !shown.isEmpty else { return }
        writer.name("show")
        writer.object(shown)
    }

    // MARK: events

    private func events(_ writer: inout JSONWriter) {
        writer.name("events")
        writer.beginArray()
        for event in flow.events where hidden?.hidesEvent(event.name) != true {
            let shown = presentation.events[event.name]
            writer.beginObject()
            writer.name("name")
            writer.string(event.name)
            label(shown?.label, &writer)
            fields("args", event.parameters, shown?.arguments ?? [:], &writer)
            if let suggestions = shown?.suggestions, !suggestions.isEmpty {
                writer.name("suggest")
                writer.strings(suggestions)
            }
            if !event.allowedSources.isEmpty {
                writer.name("from")
                writer.strings(event.allowedSources)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func fields(
        _ what: StaticString, _ fields: [Field], _ shown: [String: FlowPresentation.Label],
        _ writer: inout JSONWriter
    ) {
        writer.name(what)
        writer.beginArray()
        for field in fields {
            writer.beginObject()
            writer.name("name")
            writer.string(field.name)
            label(shown[field.name], &writer)
            writer.name("type")
            writer.string(field.type)
            if !field.values.isEmpty {
                writer.name("values")
                writer.strings(field.values)
            }
            if let limits = field.limits {
                writer.name("min")
                writer.int(limits.lowerBound)
                writer.name("max")
                writer.int(limits.upperBound)
            }
            if field.isOptional {
                writer.name("optional")
                writer.bool(true)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func transitions(_ found: FlowModel, _ writer: inout JSONWriter) {
        for row in found.transitions where hidden?.hidesEvent(row.on) != true {
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
