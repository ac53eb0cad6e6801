public import Access
public import GameFlow
public import Sessions

/// Whoever is at the other end of a conversation, as the dispatcher needs it.
public protocol Caller: Watcher {
    /// What each change that it causes names as its source.
    var source: Source { get }
    /// What it may do.
    var rights: Rights { get }
    /// It shows a token, and has its rights from now on. False if there is no such token; nothing has changed
    /// then.
    func authenticate(_ token: String) -> Bool
    /// It is told that it may not do that. Whether that is worth being kept: a flood of them is not.
    func forbade(_ error: RequestError) -> Bool
    /// It asks for something: why it has asked for too much already, if it has.
    func overdraws() -> RequestError?
    /// It began to watch: what it missed goes out behind the answer, before anything newer.
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed)
    /// Whether it watches that.
    func watches(_ target: WatchTarget) -> Bool
    /// What goes out to it.
    var outbox: ReplyBuffer { get }
    /// A reply that was promised is known.
    func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer)
    /// The file that came with what it sent last, once; nil where none did.
    func takeFile() -> PassedFile?
    /// It watches that no longer.
    func unfollow(_ target: WatchTarget)
}

extension Caller {
    public func authenticate(_ token: String) -> Bool { false }
    public func forbade(_ error: RequestError) -> Bool { true }
    public func overdraws() -> RequestError? { nil }
    public func takeFile() -> PassedFile? { nil }
    public func mayObserve(_ session: SessionName) -> Bool { rights.has(.observe, in: session) }
    public func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer) {
        outbox.fulfil(ticket, answer)
    }
}
