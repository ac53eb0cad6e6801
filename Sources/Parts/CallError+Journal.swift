package import RPC
import Sessions

extension CallError {
    /// The error of a daemon that has no journal.
    package static var noJournal: CallError {
        let why = "there is no journal: start gamed with --state-dir or --store"
        return .refused(.storage(why: why, outcome: .undone))
    }
}
