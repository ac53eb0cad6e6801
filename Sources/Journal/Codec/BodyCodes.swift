package import GameFlow
internal import Sessions

/// The fields of a row's body, with their numbers in the journal's format. A number is never reused for another field. The
/// names of the cases occur in error texts. The extension of `BodyKind` in `BodyParts.swift` lists the fields of each kind.
///
/// A reader of the third format skips a field whose number is `firstSkippable` or greater, if it does not know the field. Such a
/// field neither refers to texts of other fields, nor do other fields refer to its texts.
enum BodyField: Int, CaseIterable {
    /// The `pos` of the daemon's newest change.
    case pos = 1
    /// The name of the flow.
    case flow = 2
    case openedAt = 3
    case step = 4
    /// Present if the record follows from the record before it in the same call. Absent if a request or a timer caused the
    /// record directly.
    case follows = 5
    /// How many requests with an id the session has accepted so far.
    case ids = 6
    /// The number of the change that entered the present state.
    case entry = 7
    /// The timers of the machine's snapshot.
    case timers = 8
    /// The deferred events.
    case waiting = 9
    /// The state of the machine, if it is not the target of the step.
    case place = 10
    /// The details of the command that made the change, such as the labels that were set.
    case details = 11
    case flowVersion = 12
    case settings = 13
    case labels = 14
    // The number 15 is not used. It was planned for undone changes, but the field `details` records undone changes instead.
    /// In a row without a change: the `pos` and the instant of the session's newest change.
    case lastPos = 16
    case lastAt = 17
    /// The signal of a countdown that fired without a change.
    case fired = 18
    /// The answer to a request with an id that caused no change.
    case answer = 19
    /// The details of the command in the field `answer`.
    case answerDetails = 20
    /// The refused event.
    case event = 21
    /// The number of bytes of the refused event that the record omits, because the event was too long.
    case omittedBytes = 22
    /// The sender of the refused event, of an advance, or of the command that gave a quarantined session up.
    case source = 23
    /// The code, the name and the data of the error with which the event was refused.
    case code = 24
    case error = 25
    case data = 26
    /// The number of earlier refusals that were not recorded.
    case dropped = 27
    /// The instant of a start, or the instant that an advance of the virtual clock reached.
    case now = 28
    /// The last instant before a start at which the daemon is known to have run.
    case lastAlive = 29
    /// Further information about a start.
    case notes = 30
    /// Present if an advance of the virtual clock stopped before all due timers had fired.
    case isCutShort = 31
    /// The requested duration of an advance.
    case by = 32
    /// In the record that a quarantined session was given up: why the session was quarantined.
    case why = 33
    /// The number of timers that fired during an advance.
    case firings = 34
    /// The positions of erased rows.
    case positions = 35
    /// How many times an erased session was opened.
    case openings = 36
    /// The version of the text of a flow file.
    case sourceVersion = 37
    /// The text of a flow file.
    case text = 38
    /// The message to the session's screens.
    case said = 39
    /// The outcomes of outputs.
    case deliveries = 40
    /// By how much the wall clock differs from the daemon's clock, in nanoseconds.
    case correction = 41
    /// The names and the bytes of the table files of a flow file. A reader that does not know them cannot read the flow.
    case tableFiles = 50
    /// The seed and the number of draws of a session whose flow draws random values. A reader that does not know them cannot
    /// continue the session.
    case chance = 51
    /// The moments to which the session can go back. A reader that does not know them cannot continue the session.
    case moments = 52

    // Fields of the third format that a reader may skip.

    /// What ends the message in `said` (`ScreenMessage.Scope`). Without this field, it is an operator's message.
    case messageScope = 64
    /// The labels that were given at the opening. Absent if the labels and settings are still those of the opening.
    case openingLabels = 65
    /// The settings that were given at the opening. Present if and only if `openingLabels` is.
    case openingSettings = 66
    /// The message that the step in `step` shows. Has no content if the step ended the present message.
    case messageUpdate = 67
    /// The alerts about the outputs in `deliveries` that were given up.
    case outputAlerts = 68
    /// When the refused event in `event` was received, in nanoseconds, and how much of its age counts, in milliseconds. Absent for an
    /// event that does not wait for others.
    case receipt = 69

    /// The least number of a field that a reader may skip.
    static let firstSkippable = 64

    var isSkippable: Bool { rawValue >= Self.firstSkippable }
}

/// The kind of a body: one for each case of `SessionRecord.Body`. A number is never reused for another kind.
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
    case clock = 10
}

/// The numbers of the kinds of sources in the journal's format. A number is never reused.
extension Source.Kind {
    /// The names that are encoded as a number: their index plus 1. Any other name is encoded as 0
    /// and its text.
    package static let numbered = ["unix", "tcp", "web", "terminal", "bluetooth", "evdev", "timer"]
        .map { Source.Kind($0) }

    /// The number of the kind; nil for a name that has no number.
    var code: UInt8? { Self.numbered.firstIndex(of: self).map { UInt8($0 + 1) } }

    init(code: UInt8) throws(UnreadableRowError) {
        guard 1...Self.numbered.count ~= Int(code) else {
            throw UnreadableRowError(why: "source \(code) has an unknown version")
        }
        self = Self.numbered[Int(code) - 1]
    }
}
