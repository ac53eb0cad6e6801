import Shell
import Timers

/// What `gamectl wait` is to wait for.
struct WaitOptions: Equatable {
    let session: String
    let state: String
    /// How long; nil for as long as it takes.
    let within: Duration?

    init(_ line: LongOptions, _ settings: Settings) throws(Failure) {
        guard let state = line.value("state") else {
            throw .usage("wait: --state NAME is missing")
        }
        self.state = state
        within = try Command.duration("within", line)
        var named: String?
        for word in line.words.dropFirst() {
            guard word.first == "@", named == nil else {
                throw .usage(
                    "\(TerminalSafe.word(word)): wait takes only --state, --within and @session")
            }
            named = String(word.dropFirst())
        }
        session = named ?? settings.session
        if session == "*" { throw .usage("wait: one session, not all") }
    }
}
