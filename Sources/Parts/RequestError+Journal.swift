package import Sessions

extension RequestError {
    /// The error of a daemon that has no journal.
    package static var noJournal: RequestError {
        let why = "there is no journal: start gamed with --state-dir or --store"
        return .storage(why: why, outcome: .undone)
    }
}
