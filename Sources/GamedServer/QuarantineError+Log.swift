import Sessions

extension Sessions.QuarantineError {
    /// Logs the session and what the operator can do.
    func log() {
        Log.write(
            .error,
            "session \(session.text) is quarantined: \(why); `gamectl close @\(session.text)` closes it; "
                + "its rows stay in the journal, see `gamectl journal export`")
    }
}
