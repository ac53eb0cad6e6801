internal import GameFlow
internal import Sessions

/// The numbers of kinds in the journal's format. A number is never reused for another kind.

extension Source.Kind {
    /// The names that are encoded as a number: their index plus 1. Any other name is encoded as 0
    /// and its text.
    static let numbered = ["unix", "tcp", "web", "terminal", "bluetooth", "evdev", "timer"]
        .map { Source.Kind($0) }

    /// Nil for a name that has no number.
    var code: UInt8? { Self.numbered.firstIndex(of: self).map { UInt8($0 + 1) } }

    init(code: UInt8) throws(UnreadableRow) {
        guard 1...Self.numbered.count ~= Int(code) else {
            throw UnreadableRow(why: "source \(code) is of another version")
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
        }
    }

    private static let all: [Step.Kind] = [
        .open, .enter, .keep, .defer, .drop, .goto, .timer, .close,
    ]

    init(code: UInt8) throws(UnreadableRow) {
        guard let kind = Self.all.first(where: { $0.code == code }) else {
            throw UnreadableRow(why: "a change of kind \(code) is of another version")
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
        }
    }

    init(code: UInt8) throws(UnreadableRow) {
        guard let action = Self.allCases.first(where: { $0.code == code }) else {
            throw UnreadableRow(why: "what was done to a timer, \(code), is of another version")
        }
        self = action
    }
}
