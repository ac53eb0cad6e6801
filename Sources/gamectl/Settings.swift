import Shell
import Timers

/// What holds for every verb.
struct Settings: Equatable {
    var socket = ClientSocket()
    /// The session of verbs that name none.
    var session = "main"
    /// For programs: JSON lines instead of words.
    var isJSON = false
    /// How long an answer may take, if an option says so.
    var givenTimeout: Duration?
    /// How long an answer may take.
    var timeout: Duration { givenTimeout ?? .seconds(5) }
    /// How long the answer to `backup` may take: a large journal is copied and read twice.
    var backupTimeout: Duration { givenTimeout ?? .seconds(3600) }
}
