public import GameFlow
internal import JSON

/// Something in a flow that nobody can have meant.
public enum Finding: Equatable, Sendable {
    /// Something that makes its sessions unreliable; nothing else was looked for then.
    case mistake(String)
    /// No way that was tried leads there from where the flow begins.
    case unreachableState(String)
    /// No state takes or defers it, with any of its samples.
    case deadEvent(String)
    /// A state, not final, that nothing leads out of, and whose timers are none.
    case deadEnd(String)
    /// A timer of the state sends a signal that the state refuses, at least with some of its data.
    case unhandledSignal(state: String, signal: String)
    /// No state has a timer that sends it.
    case unsentSignal(String)
    /// However the state was entered, another timer left it before this one fired.
    case hopelessTimer(state: String, signal: String)
    /// The state takes a signal that none of its own timers sends, and another state's do.
    case idleRow(state: String, signal: String)
    /// A countdown of no time at all: two states with such would lead to each other for ever.
    case instantTimer(state: String, signal: String)
    /// A final state has timers, which nothing could come of.
    case finalTimer(state: String, signal: String)
    /// A way leads to a state with data from which it cannot be restored: a restart loses the session.
    case lostAtRestart(state: String, data: [Member], why: String)
    /// A row was taken that the survey does not have: clients do not see it in `describe` and `graph`.
    case missingRow(from: String, on: String, to: String)

    /// What it is called.
    public var name: String {
        switch self {
        case .mistake: "mistake"
        case .unreachableState: "unreachableState"
        case .deadEvent: "deadEvent"
        case .deadEnd: "deadEnd"
        case .unhandledSignal: "unhandledSignal"
        case .unsentSignal: "unsentSignal"
        case .hopelessTimer: "hopelessTimer"
        case .idleRow: "idleRow"
        case .instantTimer: "instantTimer"
        case .finalTimer: "finalTimer"
        case .lostAtRestart: "lostAtRestart"
        case .missingRow: "missingRow"
        }
    }

    /// What it means, in a sentence.
    public var sentence: String {
        switch self {
        case .mistake(let sentence): sentence
        case .unreachableState(let state): "no way that was tried leads to \(state)"
        case .deadEvent(let event): "no state takes \(event), with any sample of its arguments"
        case .deadEnd(let state): "nothing leads out of \(state), and it is not final"
        case .unhandledSignal(let state, let signal):
            "\(state) refuses \(signal), which its own timer sends"
        case .unsentSignal(let signal): "no timer sends \(signal)"
        case .hopelessTimer(let state, let signal):
            "\(state) was left by another timer before \(signal) came, however it was entered"
        case .idleRow(let state, let signal):
            "\(state) takes \(signal), but has no timer that sends it"
        case .instantTimer(let state, let signal):
            "\(state) has a timer that sends \(signal) in no time; post an event instead"
        case .finalTimer(let state, let signal):
            "\(state) is final, and has a timer that sends \(signal)"
        case .lostAtRestart(let state, let data, let why):
            "\(state)\(data.isEmpty ? "" : " with \(TextWords.write(data))") is lost at a restart, "
                + "because `entering` refuses what `scene` shows: \(why)"
        case .missingRow(let from, let on, let to):
            "\(from) goes to \(to) on \(on), and describe and graph do not show it: give "
                + "`entering` samples of \(from)'s data with which it does"
        }
    }
}
