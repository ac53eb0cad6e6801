public import GameFlow
internal import JSONCoding
internal import Support

/// A defect in a flow.
public enum Finding: Equatable, Sendable {
    /// A fault that the author of the flow must correct, as a sentence; see `AnyFlow.mistakes`. A flow with mistakes has no
    /// other findings, because nothing else was checked.
    case mistake(String)
    /// A possible mistake in a flow file, with its position. The daemon plays the flow nevertheless.
    case warning(String)
    /// No path leads from the initial state to the state.
    case unreachableState(String)
    /// No state takes or defers the event, with any sample of its arguments.
    case deadEvent(String)
    /// A state that is not final has no exit and no timer.
    case deadEnd(String)
    /// The state refuses the signal of its own timer, with at least one sample of its data.
    case unhandledSignal(state: String, signal: String)
    /// No state has a timer that sends the signal.
    case unsentSignal(String)
    /// Another timer always ends the visit of the state before this timer fires.
    case hopelessTimer(state: String, signal: String)
    /// The state takes a signal that only timers of other states send.
    case idleRow(state: String, signal: String)
    /// The state has a countdown of zero duration. Two states that each have such a countdown can enter each other for ever.
    case instantTimer(state: String, signal: String)
    /// A final state has a timer, which can have no effect.
    case finalTimer(state: String, signal: String)
    /// The state can be reached with data from which the state cannot be restored. A restart of the daemon then loses the
    /// session.
    case lostAtRestart(state: String, data: [Member], why: String)
    /// The exploration observed a transition that the flow's survey lacks; the methods `describe` and `graph` do not show it.
    case missingRow(from: String, on: String, to: String)
    /// The event posts events without end: a session stops after `EventQueue.postLimit` of them and refuses the next one.
    case endlessPosts(state: String, event: String)
    /// An invariant of the flow does not hold in a state that can be reached; `path` lists the moves that lead there.
    case brokenInvariant(String, state: String, path: [String])
    /// Something was not searched, so that there may be further findings. The sentence says what.
    case incomplete(String)

    /// Whether the finding only says what was not searched.
    public var isIncomplete: Bool { if case .incomplete = self { true } else { false } }

    /// The finding's name in the output.
    public var name: String {
        switch self {
        case .mistake: "mistake"
        case .warning: "warning"
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
        case .endlessPosts: "endlessPosts"
        case .brokenInvariant: "brokenInvariant"
        case .incomplete: "incomplete"
        }
    }

    /// The finding as a sentence.
    public var sentence: String {
        switch self {
        case .mistake(let sentence), .warning(let sentence), .incomplete(let sentence): sentence
        case .unreachableState(let state): "no path leads to \(state)"
        case .deadEvent(let event): "no state takes \(event), with any sample of its arguments"
        case .deadEnd(let state): "\(state) has no exit and no timer, and is not final"
        case .unhandledSignal(let state, let signal):
            "\(state) refuses \(signal), which its own timer sends"
        case .unsentSignal(let signal): "no timer sends \(signal)"
        case .hopelessTimer(let state, let signal):
            "another timer always ends the stay in \(state) before \(signal) fires"
        case .idleRow(let state, let signal):
            "\(state) takes \(signal), but has no timer that sends it"
        case .instantTimer(let state, let signal):
            "\(state) has a timer of zero duration that sends \(signal); post an event instead"
        case .finalTimer(let state, let signal):
            "\(state) is final, and has a timer that sends \(signal)"
        case .lostAtRestart(let state, let data, let why):
            "\(state)\(data.isEmpty ? "" : " with \(TextWords.write(data))") is lost at a restart, "
                + "because the state cannot be entered with these data: \(why)"
        case .missingRow(let from, let on, let to):
            "\(from) goes to \(to) on \(on), but describe and graph do not show it: add samples "
                + "of \(from)'s data to `entering` that take this transition"
        case .endlessPosts(let state, let event):
            "\(event) in \(state) posts events without end; a session stops after "
                + "\(EventQueue.postLimit) of them"
        case .brokenInvariant(let sentence, let state, let path):
            "\(sentence): this does not hold in \(state)"
                + (path.isEmpty ? "" : ", after \(path.joined(separator: " · "))")
        }
    }
}

extension Finding: CustomStringConvertible {
    /// The finding as `gamectl lint` prints it: `deadEnd: won has no exit and no timer, and is not final`.
    public var description: String { TerminalText.escaped("\(name): \(sentence)") }
}
