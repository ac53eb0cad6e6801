internal import GameFlow
internal import Timers

/// A state of a `FileFlow`, the flow that a flow file defines, with its data and timers.
struct FileState {
    /// The state's index in the file.
    let index: Int
    /// The values of the state's data, in the order of their declarations.
    let data: [Value]
    /// The data as clients see them, without data that are null. This list is computed once, because the machine asks for it
    /// several times in a step.
    let members: [Member]
    /// The handles of the state's timers, in the order of the timers' declarations; nil for a timer that is not set. The array
    /// is empty if no row of the state reads or operates a timer.
    let timers: [StateTimerHandle?]
    /// The session's chance after the draws that led here; nil in a search, and if the flow draws nothing.
    let chance: Chance?

    init(
        _ index: Int, _ rules: StateRules, _ data: [Value], _ timers: [StateTimerHandle?],
        _ chance: Chance? = nil
    ) {
        (self.index, self.data, self.timers, self.chance) = (index, data, timers, chance)
        guard !data.isEmpty else {
            members = []
            return
        }
        var members: [Member] = []
        members.reserveCapacity(data.count)
        for (fieldIndex, value) in data.enumerated() {
            if case .null = value { continue }
            members.append(Member(rules.fields[fieldIndex].wireName, value))
        }
        self.members = members
    }
}

/// A timer of a state. Rows read the timer's times, and operate the timer, with its handle.
enum StateTimerHandle {
    case countdown(Countdown)
    case pendulum(Pendulum)
    case stopwatch(Stopwatch)

    var id: TimerID {
        switch self {
        case .countdown(let timer): timer.id
        case .pendulum(let timer): timer.id
        case .stopwatch(let timer): timer.id
        }
    }

    /// The time until the timer fires; zero after the timer has ended, negative in overtime.
    var remaining: Duration {
        switch self {
        case .countdown(let timer): timer.remaining
        case .pendulum(let timer): timer.remaining
        case .stopwatch: .zero
        }
    }

    /// The time that a stopwatch has spent; zero for any other timer.
    var spent: Duration {
        if case .stopwatch(let timer) = self { timer.spent } else { .zero }
    }

    /// The timer's full duration; zero after the timer has ended.
    var total: Duration {
        switch self {
        case .countdown(let timer): timer.total
        case .pendulum(let timer): timer.total
        case .stopwatch: .zero
        }
    }
}

/// The name of a state of a `FileFlow`.
struct FileStateName: RawRepresentable, Equatable {
    let rawValue: String
    /// The state's index in the file; nil for a name from a command or a journal, which may be unknown.
    let index: Int?

    init(rawValue: String) { (self.rawValue, index) = (rawValue, nil) }
    init(_ name: String, _ index: Int) { (rawValue, self.index) = (name, index) }

    static func == (a: FileStateName, b: FileStateName) -> Bool {
        if let a = a.index, let b = b.index { return a == b }
        return a.rawValue == b.rawValue
    }
}
