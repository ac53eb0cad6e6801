internal import GameFlow

/// Something in a flow that nobody can have meant.
public enum Finding: Equatable, Sendable {
    /// No way leads there from where the flow begins.
    case unreachableState(String)
    /// No state takes or defers it, with any of its samples.
    case deadEvent(String)
    /// A state, not final, that nothing leads out of, and whose timers are none.
    case deadEnd(String)
    /// A timer of the state sends a signal that the state refuses.
    case unhandledSignal(state: String, signal: String)
    /// No state has a timer that sends it.
    case unsentSignal(String)
    /// Whatever happens, another timer leaves the state before this one fires.
    case hopelessTimer(state: String, signal: String)
    /// A final state has timers, which nothing could come of.
    case finalTimer(state: String, signal: String)

    /// What it is called.
    public var name: String {
        switch self {
        case .unreachableState: "unreachableState"
        case .deadEvent: "deadEvent"
        case .deadEnd: "deadEnd"
        case .unhandledSignal: "unhandledSignal"
        case .unsentSignal: "unsentSignal"
        case .hopelessTimer: "hopelessTimer"
        case .finalTimer: "finalTimer"
        }
    }

    /// What it means, in a sentence.
    public var sentence: String {
        switch self {
        case .unreachableState(let state): "\(state) cannot be reached from the beginning"
        case .deadEvent(let event): "no state takes \(event)"
        case .deadEnd(let state): "nothing leads out of \(state), and it is not final"
        case .unhandledSignal(let state, let signal):
            "\(state) refuses \(signal), which its own timer sends"
        case .unsentSignal(let signal): "no timer sends \(signal)"
        case .hopelessTimer(let state, let signal):
            "\(state) is always left before its timer sends \(signal)"
        case .finalTimer(let state, let signal):
            "\(state) is final, and has a timer that sends \(signal)"
        }
    }
}
