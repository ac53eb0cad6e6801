import Parts
package import Sessions

extension Sessions.QuarantineError {
    /// Logs that the session could not be restored, the reason, and what the operator can do. Called at the start, or when the
    /// session was decoded later.
    package func log() {
        Log.write(
            .error, .session,
            "session \(session.text) is quarantined: \(why); `gamectl close @\(session.text)` closes it; "
                + "its rows stay in the journal, see `gamectl journal export`",
            [.session(session.text), .reason(why)])
    }
}
