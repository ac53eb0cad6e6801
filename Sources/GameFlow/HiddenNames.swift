/// The hidden names of a flow: the names of data, timers and events that only operators see. Callers that may only play or
/// observe do not see them.
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

    /// Returns a state with the data that are not hidden.
    public func visible(_ place: StateRecord) -> StateRecord {
        let data = place.data.filter { !hidesDatum($0.name, in: place.state) }
        return data.count == place.data.count ? place : StateRecord(place.state, data)
    }
}
