internal import GameFlow
internal import Sessions

/// The fields of a row's body, with their numbers in the journal's format. A number is never reused
/// for another field.
enum BodyField: Int, CaseIterable {
    case pos = 1
    case flow = 2
    case openedAt = 3
    case step = 4
    /// Present if the record was not requested itself, but follows from the record before it in the same call.
    case follows = 5
    /// The number of the session's requests with an id.
    case ids = 6
    /// The number of the change that entered the present state.
    case entry = 7
    case timers = 8
    /// The deferred events.
    case waiting = 9
    /// The state of the machine, if it is not the target of the step.
    case place = 10
    case details = 11
    case flowVersion = 12
    case settings = 13
    case labels = 14
    // 15 is not used. It was planned for undone changes, which are recorded in the details instead.
    /// In a row without a change: the `pos` and the instant of the session's newest change.
    case lastPos = 16
    case lastAt = 17
    /// The signal of a countdown that fired without a change.
    case fired = 18
    /// The answer to a request with an id that caused no change.
    case answer = 19
    case answerDetails = 20
    case event = 21
    case omittedBytes = 22
    case source = 23
    case code = 24
    case error = 25
    case data = 26
    /// The number of earlier refusals that were not recorded.
    case dropped = 27
    case now = 28
    /// The last instant before a start at which the daemon is known to have run.
    case lastAlive = 29
    case notes = 30
    /// Present if an advance of the virtual clock stopped before all due timers had fired.
    case isCutShort = 31
    /// The requested duration of an advance.
    case by = 32
    case why = 33
    /// The number of timers that fired during an advance.
    case firings = 34
    /// The positions of erased rows.
    case positions = 35
    /// How many times an erased session was opened.
    case openings = 36
    /// The version of the flow's text.
    case sourceVersion = 37
    /// The text of a flow.
    case text = 38
    /// The message to the session's screens.
    case said = 39
    case deliveries = 40
}

/// The kind of a body. A number is never reused for another kind.
enum BodyKind: UInt8 {
    case change = 1
    case rest = 2
    case refusal = 3
    case start = 4
    case advance = 5
    case quarantineGivenUp = 6
    case forgotten = 7
    case flowText = 8
    case deliveries = 9
}

// The extensions below assign the numbers of kinds in the journal's format. A number is never reused for another kind.

extension Source.Kind {
    /// The names that are encoded as a number: their index plus 1. Any other name is encoded as 0
    /// and its text.
    static let numbered = ["unix", "tcp", "web", "terminal", "bluetooth", "evdev", "timer"]
        .map { Source.Kind($0) }

    /// Nil for a name that has no number.
    var code: UInt8? { Self.numbered.firstIndex(of: self).map { UInt8($0 + 1) } }

    init(code: UInt8) throws(UnreadableRowError) {
        guard 1...Self.numbered.count ~= Int(code) else {
            throw UnreadableRowError(why: "source \(code) has an unknown version")
        }
        self = Self.numbered[Int(code) - 1]
    }
}

extension Step.Kind {
    var code: UInt8 {
        switch self {
        case .open: 1
        case .enter: 2
        case .keep: 3
        case .defer: 4
        case .drop: 5
        case .goto: 6
        case .timer: 7
        case .close: 8
        case .label: 9
        case .say: 10
        case .move: 11
        case .undo: 12
        }
    }

    private static let all: [Step.Kind] = [
        .open, .enter, .keep, .defer, .drop, .goto, .timer, .close, .label, .say, .move, .undo,
    ]

    init(code: UInt8) throws(UnreadableRowError) {
        guard let kind = Self.all.first(where: { $0.code == code }) else {
            throw UnreadableRowError(why: "a change of kind \(code) has an unknown version")
        }
        self = kind
    }
}

extension TimerOperation.Action {
    var code: UInt8 {
        switch self {
        case .pause: 1
        case .resume: 2
        case .extend: 3
        case .restart: 4
        case .shorten: 5
        case .set: 6
        }
    }

    init(code: UInt8) throws(UnreadableRowError) {
        guard let action = Self.allCases.first(where: { $0.code == code }) else {
            throw UnreadableRowError(why: "the timer operation \(code) has an unknown version")
        }
        self = action
    }
}
