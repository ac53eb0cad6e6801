internal import GameFlow
internal import Sessions

/// The fields of a row's body, with their numbers in the journal's format. A number is never reused
/// for another field.
enum BodyField: Int, CaseIterable {
    case pos = 1
    case flow = 2
    case openedAt = 3
    case step = 4
    case follows = 5
    case ids = 6
    case entry = 7
    case timers = 8
    case waiting = 9
    /// The state of the machine, if it is not the target of the step.
    case place = 10
    case details = 11
    case flowVersion = 12
    case settings = 13
    case labels = 14
    // 15 was planned for undone changes, which are part of the details.
    case lastPos = 16
    case lastAt = 17
    case fired = 18
    case answer = 19
    case answerDetails = 20
    case event = 21
    case omittedBytes = 22
    case source = 23
    case code = 24
    case error = 25
    case data = 26
    case dropped = 27
    case now = 28
    case lastAlive = 29
    case notes = 30
    case isCutShort = 31
    case by = 32
    case why = 33
    case firings = 34
    case positions = 35
    case openings = 36
    /// The version of the flow's text, and the text itself.
    case sourceVersion = 37
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
