import Shell
import Timers

/// What holds for every verb.
struct Settings: Equatable {
    var socket = ClientSocket()
    /// The session of verbs that name none.
    var session = "main"
    /// For programs: JSON lines instead of words.
    var isJSON = false
    /// How long an answer may take.
    var timeout = Interval.seconds(5)
}
