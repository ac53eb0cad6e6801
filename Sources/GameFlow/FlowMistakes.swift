internal import Timers

/// Finds the mistakes of a flow that make its sessions unreliable, for `AnyFlow.mistakes`. It enters each state with samples of
/// the state's data. Then it enters the state again with the recorded data, as a restart does.
struct FlowMistakes {
    private let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    /// The mistakes, one sentence each.
    var all: [String] {
        let found =
            flow.schemaMistakes + nameMistakes + openingMistakes
            + flow.stateNames.compactMap { mistake(in: $0) }
        return found.isEmpty ? unhandledSignals : found
    }

    /// The mistakes that are found by entering the states of a flow with an outline. The outline's maker has checked the rest. A
    /// mistake about a state has its name.
    var ofStates: [(state: String, sentence: String)] {
        openingMistakes.map { (flow.initial, $0) }
            + flow.stateNames.compactMap { state in mistake(in: state).map { (state, $0) } }
    }

    /// A mistake for each signal that no state handles, because such a signal never changes anything. These mistakes are
    /// reported only if the flow has no other mistake. The reason is that the survey tries signals only in states that it can
    /// enter. So it would report a signal wrongly if only a state that cannot be entered handles the signal.
    private var unhandledSignals: [String] {
        var survey = FlowSurvey(flow)
        return survey.unhandledSignals().map {
            "no state handles the signal \($0); add a row for it, or remove it"
        }
    }

    /// Mistakes in names: names that nobody could write in a request, names that are used twice, and a name in `deviceLost` or
    /// `deviceFound` that is no suitable event.
    private var nameMistakes: [String] {
        let events = flow.events.map(\.name)
        let repeatedEvents = Set(
            events.filter { name in events.filter { $0 == name }.count > 1 })
        let states = flow.stateNames
        let repeatedStates = Set(
            states.filter { name in states.filter { $0 == name }.count > 1 })
        let names =
            [("flow", flow.name)] + states.map { ("state", $0) } + events.map { ("event", $0) }
            + flow.signals.map { ("signal", $0) }
        return names.filter { !Self.isWritable($0.1) }.map { kind, name in
            "the name \(name.debugDescription) of a \(kind) is empty, longer than \(Self.nameLimit) characters, or "
                + "has a blank or a control character"
        }
            + repeatedEvents.sorted().map {
                "the event \($0) is listed twice; list each event once"
            }
            + repeatedStates.sorted().map { "two states have the name \($0); rename one" }
            + flow.signals.filter(events.contains).map {
                "\($0) is an event and a signal; rename one"
            }
            + [flow.deviceLost, flow.deviceFound].compactMap { $0 }.filter { name in
                !flow.events.contains { $0.name == name && $0.parameters.isEmpty }
            }.map {
                "\($0) is sent when a device is lost or found: it must be an event, and have no "
                    + "parameters"
            }
    }

    /// The maximum number of Unicode scalars of a name.
    private static let nameLimit = 64

    private static func isWritable(_ name: String) -> Bool {
        (1...nameLimit).contains(name.unicodeScalars.count)
            && !name.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            }
    }

    /// The mistake that no session can be opened without a given state.
    var openingMistakes: [String] {
        switch open(nil, []) {  // nil: in the initial state
        case .success: []
        case .failure(let refusal):
            ["it cannot begin in \(flow.initial), without data: \(refusal.sentence)"]
        }
    }

    /// The first mistake in a state; nil for a state without mistakes. One mistake per state is enough: the other samples often
    /// have the same one.
    private func mistake(in state: String) -> String? {
        let samples = flow.dataSamples(of: state)
        guard !samples.isEmpty else {
            let why = flow.refusals[state].map { ": \($0.sentence)" } ?? ""
            return "\(state) refuses every sample of its data\(why)"
        }
        return samples.lazy.compactMap { mistake(in: state, $0) }.first
    }

    /// Returns the mistake that is found when the state is entered with one sample of its data; nil if no mistake is found.
    private func mistake(in state: String, _ data: [Member]) -> String? {
        let entered: EnteredState
        switch open(state, data) {
        case .success(let result): entered = result
        case .failure(let refusal): return "\(state) cannot be entered: \(refusal.sentence)"
        }
        let (place, signals) = entered
        if let repeated = signals.first(where: { signal in signals.filter { $0 == signal }.count > 1
        }) {
            return "\(state) has two timers that send \(repeated)"
        }
        guard place.state == state else {
            return "\(state) is described as \(place.state) after it is entered"
        }
        switch open(state, place.data) {
        case .success(let again) where again.place == place: return nil
        case .success:
            return "\(state) has other data after it is entered again with its recorded data"
        case .failure(let refusal):
            return "\(state) cannot be entered again with its recorded data: \(refusal.sentence)"
        }
    }

    /// The record of an entered state, and the signals that its timers send.
    private typealias EnteredState = (place: StateRecord, signals: [String])

    /// Enters a state, or the initial state if `state` is nil, in a new machine. Fails with the reason if that is impossible.
    private func open(_ state: String?, _ data: [Member]) -> Result<EnteredState, Reason> {
        let machine = flow.machine(
            on: VirtualClock().timerQueue, EventQueue(dropsPostedEvents: true), observer: nil,
            isDryRun: true)
        do throws(Reason) {
            // The sender makes no difference, because nothing is recorded.
            try machine.open(state, data, from: .timer)
            return .success((machine.place, machine.liveTimers.map(\.fires)))
        } catch { return .failure(error) }
    }
}
