internal import GameFlow
internal import JSONCoding
internal import Timers

/// Writes the description of a flow in a view: the result of the method `describe`.
struct FlowWriter {
    private let flow: AnyFlow
    private let view: SessionView
    private let hidden: HiddenNames?
    private let presentation: FlowPresentation

    init(_ flow: AnyFlow, _ view: SessionView) {
        (self.flow, self.view) = (flow, view)
        (hidden, presentation) = (view.namesToHide(flow.hidden), flow.presentation)
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
        for model in flow.survey { transitions(model, &writer) }
        writer.endArray()
        if view == .full { settings(&writer) }
        if showsText, let source = flow.source {
            writer.name("source")
            writer.string(String(decoding: source.text, as: UTF8.self))
        }
        writer.endObject()
    }

    /// Writes the title. Callers that may operate also get the note, and whether the item is hidden from players.
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
        for model in flow.survey { state(model, presentation.states[model.state], &writer) }
        writer.endArray()
    }

    private func state(
        _ model: StateSurvey, _ presented: FlowPresentation.State?, _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("name")
        writer.string(model.state)
        label(presented?.label, &writer)
        let fields = flow.data(of: model.state).filter {
            hidden?.hidesDatum($0.name, in: model.state) != true
        }
        self.fields("data", fields, presented?.data ?? [:], &writer)
        writer.name("final")
        writer.bool(flow.finals.contains(model.state))
        writer.name("timers")
        writer.beginArray()
        for timer in model.timers where hidden?.hidesTimer(timer.fires, in: model.state) != true {
            self.timer(timer, presented?.timers[timer.fires], &writer)
        }
        writer.endArray()
        if let presented { screen(presented, &writer) }
        writer.endObject()
    }

    private func timer(
        _ timer: LiveTimer, _ presented: FlowPresentation.Label?, _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("fires")
        writer.string(timer.fires)
        label(presented, &writer)
        writer.name("kind")
        writer.string(timer.info.isPendulum ? "pendulum" : "countdown")
        writer.name("totalMs")
        writer.int(Int(timer.info.total.milliseconds))
        writer.endObject()
    }

    /// What the players' screen shows in a state; `clock` is the signal of the timer that it shows in large type.
    private func screen(_ state: FlowPresentation.State, _ writer: inout JSONWriter) {
        if let clock = state.clock {
            writer.name("clock")
            writer.string(clock)
        }
        let presented = [("text", state.text), ("picture", state.picture), ("sound", state.sound)]
            .compactMap { name, value in value.map { Member(name, $0) } }
        guard !presented.isEmpty else { return }
        writer.name("show")
        writer.object(presented)
    }

    // MARK: events

    private func events(_ writer: inout JSONWriter) {
        writer.name("events")
        writer.beginArray()
        for event in flow.events where hidden?.hidesEvent(event.name) != true {
            let presented = presentation.events[event.name]
            writer.beginObject()
            writer.name("name")
            writer.string(event.name)
            label(presented?.label, &writer)
            fields("args", event.parameters, presented?.arguments ?? [:], &writer)
            if let suggestions = presented?.suggestions, !suggestions.isEmpty {
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
        _ name: StaticString, _ fields: [Field], _ presented: [String: FlowPresentation.Label],
        _ writer: inout JSONWriter
    ) {
        writer.name(name)
        writer.beginArray()
        for field in fields {
            writer.beginObject()
            writer.name("name")
            writer.string(field.name)
            label(presented[field.name], &writer)
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

    private func transitions(_ model: StateSurvey, _ writer: inout JSONWriter) {
        for row in model.transitions where hidden?.hidesEvent(row.on) != true {
            writer.beginObject()
            writer.name("from")
            writer.string(model.state)
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
