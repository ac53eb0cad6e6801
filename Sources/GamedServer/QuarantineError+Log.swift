import Sessions

extension Sessions.QuarantineError {
    /// Reports the session to the operator, with the ways out.
    func log() {
        Log.write(
            .error,
            "session \(session.text) is quarantined: \(why); `gamectl close @\(session.text)` closes it; "
                + "its rows stay in the journal, see `gamectl journal export`")
    }
}
