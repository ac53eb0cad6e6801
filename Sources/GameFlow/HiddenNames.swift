/// The hidden names of a flow: the names of data, timers, events and their arguments that only operators see. Callers that may
/// only play or observe do not see them.
package final class HiddenNames: Sendable {
    /// What is hidden of one state.
    private struct State: Sendable {
        let hiddenData: Set<String>
        let hiddenTimers: Set<String>
        /// Whether all data and timers of the state are hidden.
        let hidesAll: Bool
    }

    /// The states that the presentation mentions, by name.
    private let states: [String: State]
    /// The hidden events, and the signals of all hidden timers that the presentation names.
    private let hiddenEvents: Set<String>
    /// The hidden arguments of events that have some, by the event's name.
    fileprivate let hiddenArguments: [String: Set<String>]

    /// Returns nil if the presentation hides nothing.
    init?(_ presentation: FlowPresentation) {
        guard presentation.hides else { return nil }
        states = presentation.states.mapValues { state in
            let hidesAll = state.label.isHidden
            return State(
                hiddenData: Set(state.data.filter(\.value.isHidden).keys),
                hiddenTimers: Set(state.timers.filter { hidesAll || $0.value.isHidden }.keys),
                hidesAll: hidesAll)
        }
        hiddenEvents = Set(presentation.events.filter(\.value.label.isHidden).keys)
            .union(states.values.flatMap(\.hiddenTimers))
        hiddenArguments = presentation.events.compactMapValues { event in
            let names = event.arguments.filter(\.value.isHidden).keys
            return names.isEmpty ? nil : Set(names)
        }
    }

    /// Whether an event, or a timer's signal, is hidden.
    public func hidesEvent(_ name: String) -> Bool { hiddenEvents.contains(name) }

    /// Whether a timer of a state is hidden.
    public func hidesTimer(_ name: String, in state: String) -> Bool {
        guard let state = states[state] else { return false }
        return state.hidesAll || state.hiddenTimers.contains(name)
    }

    /// Whether a datum of a state is hidden.
    public func hidesDatum(_ name: String, in state: String) -> Bool {
        guard let state = states[state] else { return false }
        return state.hidesAll || state.hiddenData.contains(name)
    }

    /// Whether an argument of an event is hidden.
    public func hidesArgument(_ name: String, of event: String) -> Bool {
        hiddenArguments[event]?.contains(name) == true
    }
}

/// What a caller sees from whom these names are hidden. Without names, the caller sees everything.
extension HiddenNames? {
    /// Returns an event with the arguments that are not hidden; nil if the event itself is hidden.
    package func shown(_ event: EventRecord) -> EventRecord? {
        guard let self else { return event }
        if self.hidesEvent(event.name) { return nil }
        let arguments = shown(event.arguments, of: event.name)
        return arguments.count == event.arguments.count ? event : EventRecord(event.name, arguments)
    }

    /// Returns the arguments of an event that are not hidden.
    package func shown(_ arguments: [Member], of event: String) -> [Member] {
        guard let names = self?.hiddenArguments[event] else { return arguments }
        return arguments.filter { !names.contains($0.name) }
    }

    /// Returns a state with the data that are not hidden.
    package func shown(_ place: StateRecord) -> StateRecord {
        guard let self else { return place }
        let data = place.data.filter { !self.hidesDatum($0.name, in: place.state) }
        return data.count == place.data.count ? place : StateRecord(place.state, data)
    }

    /// Returns the names of events that are not hidden.
    package func shown(_ events: [String]) -> [String] {
        guard let self else { return events }
        return events.filter { !self.hidesEvent($0) }
    }
}
