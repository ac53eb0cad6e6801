internal import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// Writes the description of a flow in a view: the result of the method `describe`.
struct FlowWriter {
    private let flow: AnyFlow
    private let view: SessionView
    /// The names that are left out in the view; nil if there are none.
    private let hidden: HiddenNames?
    /// The flow's titles and notes, for people.
    private let presentation: FlowPresentation

    init(_ flow: AnyFlow, _ view: SessionView, _ presentation: FlowPresentation) {
        (self.flow, self.view, self.presentation) = (flow, view, presentation)
        hidden = view.namesToHide(flow.hidden)
    }

    /// Writes the description. `showsText` adds the text of a flow file.
    func write(showsText: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("flow")
        writer.string(flow.name)
        label(presentation.flow, &writer)
        writer.version(of: flow)
        if !presentation.languages.isEmpty {
            writer.name("languages")
            writer.strings(presentation.languages)
        }
        writer.name("initial")
        writer.string(flow.initial)
        states(&writer)
        events(&writer)
        writer.name("signals")
        writer.strings(hidden.shown(flow.signals))
        writer.name("transitions")
        writer.beginArray()
        for survey in flow.survey { transitions(survey, &writer) }
        writer.endArray()
        if view == .full { settings(&writer) }
        if showsText, let source = flow.source {
            writer.name("source")
            writer.string(String(decoding: source.text, as: UTF8.self))
            if !source.tableFiles.isEmpty {
                writer.name("tables")
                writer.object(source.tableTexts)
            }
        }
        writer.endObject()
    }

    /// Writes the title of what the open object describes: the flow, a setting, a state, a timer, an event or a field. Callers
    /// that may operate also get its note, and whether it is hidden from players.
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
            writer.beginObject()
            writer.name("name")
            writer.string(setting.name)
            label(presentation.settings[setting.name], &writer)
            writer.name("type")
            writer.string(setting.type)
            writer.name("value")
            writer.string(setting.value)
            writer.endObject()
        }
        writer.endArray()
    }

    // MARK: states

    private func states(_ writer: inout JSONWriter) {
        writer.name("states")
        writer.beginArray()
        for survey in flow.survey { state(survey, presentation.states[survey.state], &writer) }
        writer.endArray()
    }

    private func state(
        _ survey: StateSurvey, _ statePresentation: FlowPresentation.State?,
        _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("name")
        writer.string(survey.state)
        label(statePresentation?.label, &writer)
        let fields = flow.data(of: survey.state).filter {
            hidden?.hidesDatum($0.name, in: survey.state) != true
        }
        self.fields("data", fields, statePresentation?.data ?? [:], &writer)
        writer.name("final")
        writer.bool(flow.finals.contains(survey.state))
        writer.name("timers")
        writer.beginArray()
        for timer in survey.timers where hidden?.hidesTimer(timer.fires, in: survey.state) != true {
            self.timer(timer, statePresentation?.timers[timer.fires], &writer)
        }
        writer.endArray()
        if let statePresentation { screen(statePresentation, of: survey.state, &writer) }
        writer.endObject()
    }

    private func timer(
        _ timer: LiveTimer, _ timerLabel: FlowPresentation.Label?, _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("fires")
        writer.string(timer.fires)
        label(timerLabel, &writer)
        writer.name("kind")
        writer.string(timer.info.kind.rawValue)
        if let mark = timer.info.mark {
            writer.name("of")
            writer.string(timer.countdown)
            writer.name("leftMs")
            writer.int(Int(mark.left.milliseconds))
        } else if let until = timer.until {
            writer.name("until")
            writer.string(until.time.description)
        } else if timer.info.canFire {
            writer.name("totalMs")
            writer.int(Int(timer.info.total.milliseconds))
        }
        let words: [(StaticString, Bool)] = [
            ("up", timer.info.kind == .stopwatch),
            ("paused", timer.info.traits.contains(.beginsPaused)),
            ("overtime", timer.info.traits.contains(.overtime)),
        ]
        for (word, isDeclared) in words where isDeclared {
            writer.name(word)
            writer.bool(true)
        }
        writer.endObject()
    }

    /// What the players' screen shows in a state; `clock` is the signal of the timer that it shows in large type.
    private func screen(
        _ presentation: FlowPresentation.State, of state: String, _ writer: inout JSONWriter
    ) {
        if let clock = presentation.clock, hidden?.hidesTimer(clock, in: state) != true {
            writer.name("clock")
            writer.string(clock)
            if presentation.isClockBig {
                writer.name("big")
                writer.bool(true)
            }
        }
        if let names = presentation.drawnNames {
            writer.name("players")
            writer.strings(names)
        }
        let texts = [
            ("title", presentation.screenTitle), ("text", presentation.text),
            ("picture", presentation.picture), ("sound", presentation.sound),
            ("video", presentation.video), ("ended", presentation.ended),
        ]
        let members =
            texts.compactMap { name, value in value.map { Member(name, $0) } }
            + (presentation.invites ? [Member("join", .bool(true))] : [])
        guard !members.isEmpty else { return }
        writer.name("show")
        writer.object(members)
    }

    // MARK: events

    private func events(_ writer: inout JSONWriter) {
        writer.name("events")
        writer.beginArray()
        for event in flow.events where hidden?.hidesEvent(event.name) != true {
            let eventPresentation = presentation.events[event.name]
            writer.beginObject()
            writer.name("name")
            writer.string(event.name)
            label(eventPresentation?.label, &writer)
            let parameters = event.parameters.filter {
                hidden?.hidesArgument($0.name, of: event.name) != true
            }
            fields("args", parameters, eventPresentation?.arguments ?? [:], &writer)
            if let suggestions = eventPresentation?.suggestions, !suggestions.isEmpty {
                writer.name("suggest")
                writer.strings(suggestions)
            }
            if let offer = eventPresentation?.offer { self.offer(offer, &writer) }
            if let time = event.collectingTime {
                writer.name("collect")
                writer.string(DurationText.write(time))
            }
            // The kinds of sources that may send the event; all if there is no member `from`.
            if !event.allowedSources.isEmpty {
                writer.name("from")
                writer.strings(event.allowedSources)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    /// How the screens offer an event: a member for each word of its declaration.
    private func offer(_ offer: FlowPresentation.Offer, _ writer: inout JSONWriter) {
        let flags: [(name: StaticString, isSet: Bool)] = [
            ("confirm", offer.needsConfirmation), ("danger", offer.isDangerous),
            ("hint", offer.isHint), ("buzz", offer.isBuzzer),
        ]
        for flag in flags where flag.isSet {
            writer.name(flag.name)
            writer.bool(true)
        }
        if let ticks = offer.ticks {
            writer.name("ticks")
            writer.string(ticks)
        }
        if let key = offer.key {
            writer.name("key")
            writer.string(key)
        }
    }

    /// The arguments of an event, or the data of a state, as the member `name`.
    private func fields(
        _ name: StaticString, _ fields: [Field], _ labels: [String: FlowPresentation.Label],
        _ writer: inout JSONWriter
    ) {
        writer.name(name)
        writer.beginArray()
        for field in fields {
            writer.beginObject()
            writer.name("name")
            writer.string(field.name)
            label(labels[field.name], &writer)
            writer.name("type")
            writer.string(field.type)
            // The entries of an array are texts, unless this member says what they are.
            if field.hasIntegers {
                writer.name("items")
                writer.string(Int.type)
            }
            if field.hasDeclaredNames {
                writer.name("declared")
                writer.bool(true)
            }
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
            if field.isOfFlow {
                writer.name("flow")
                writer.bool(true)
            }
            // Only callers who may operate choose data. For others, the data of a state that has not been reached may be a
            // solution.
            if view == .full, let value = field.defaultValue {
                writer.name("default")
                writer.value(value)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    /// The transitions out of one state; each is taken at the event or the signal `on`.
    private func transitions(_ survey: StateSurvey, _ writer: inout JSONWriter) {
        for transition in survey.transitions where hidden?.hidesEvent(transition.on) != true {
            writer.beginObject()
            writer.name("from")
            writer.string(survey.state)
            writer.name("on")
            writer.string(transition.on)
            writer.name("to")
            writer.string(transition.to)
            writer.name("effects")
            writer.strings(transition.effects)
            writer.endObject()
        }
    }
}
