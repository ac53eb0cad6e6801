/// The parts of a row's body, by the numbers that the journal has for them. A number is never given to another
/// field.
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
    /// Where the machine is, if that is not where the step leads.
    case place = 10
    case order = 11
    case flowVersion = 12
    case settings = 13
    case labels = 14
    case undone = 15
    case lastPos = 16
    case lastAt = 17
    case fired = 18
    case answer = 19
    case answerOrder = 20
    case event = 21
    case omittedBytes = 22
    case source = 23
    case code = 24
    case error = 25
    case data = 26
    case dropped = 27
    case now = 28
    case lastSign = 29
    case notes = 30
    case isCutShort = 31
    case by = 32
    case why = 33
    case firings = 34
    case positions = 35
    case openings = 36
}

/// What a body is of. A number is never given to another kind.
enum BodyKind: UInt8 {
    case change = 1
    case rest = 2
    case refusal = 3
    case start = 4
    case advance = 5
    case givenUp = 6
    case forgotten = 7
}
