internal import GameFlow

/// Makes the presentation of a flow from a checked file. A presentation tells clients how to show the flow: its titles, notes,
/// hidden names, screens and suggestions.
extension FlowPresentation {
    init(_ definition: FlowFileDefinition) {
        self.init()
        flow = Label(title: definition.title, note: definition.note)
        languages = definition.languages
        files = definition.files
        for setting in definition.settings { settings[setting.name] = Label(setting.field) }
        for state in definition.states { states[state.name] = State(state) }
        for event in definition.events { events[event.name] = Event(event) }
    }
}

extension FlowPresentation.State {
    fileprivate init(_ state: StateDefinition) {
        self.init()
        label = .init(
            title: state.title, note: state.note, isHidden: state.isHiddenFromPlayers)
        for field in state.data { data[field.wireName] = .init(field) }
        for timer in state.timers {
            timers[timer.name] = .init(
                title: timer.title, note: timer.note, isHidden: timer.isHiddenFromPlayers)
        }
        clock = state.screen.clock.map { state.timers[$0].name }
        isClockBig = state.screen.isClockBig
        drawnNames = state.screen.playersList.map { names in
            names.map { name in state.data.first { $0.name == name }?.wireName ?? name }
        }
        (screenTitle, text) = (state.screen.text("title"), state.screen.text("text"))
        (picture, sound) = (state.screen.text("picture"), state.screen.text("sound"))
        (video, ended) = (state.screen.text("video"), state.screen.ended)
        invites = state.screen.invites
    }
}

extension FlowPresentation.Event {
    fileprivate init(_ event: EventDefinition) {
        self.init()
        label = .init(
            title: event.title, note: event.note, isHidden: event.isHiddenFromPlayers)
        for argument in event.arguments { arguments[argument.wireName] = .init(argument) }
        suggestions = event.suggestions
        offer = event.offer
    }
}

extension FlowPresentation.Label {
    fileprivate init(_ field: FieldDefinition) {
        self.init(title: field.title, note: field.note, isHidden: field.isHiddenFromPlayers)
    }
}
