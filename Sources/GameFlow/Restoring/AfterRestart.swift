/// What a timer does when its session is restored after the daemon was down.
public enum AfterRestart: String, Sendable, CaseIterable {
    /// Time went on: it fires when it would have; what is overdue then, at once.
    case deadline
    /// Time stood still: it goes on with what it had left.
    case remaining
    /// Its whole time begins anew.
    case restart
    /// It is not set again.
    case drop
}
