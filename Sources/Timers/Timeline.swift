/// Where timers hang: the real clock of an `EventLoop`, or `VirtualTime`.
public protocol Timeline: AnyObject {
    var agenda: Agenda { get }
    /// Fires what is due by the present instant. On the real clock that instant is read first;
    /// virtual time moves only when it is told to, so that there is nothing to do.
    func settle()
}

extension Timeline {
    /// The present instant.
    public var now: Instant { agenda.now }
}
