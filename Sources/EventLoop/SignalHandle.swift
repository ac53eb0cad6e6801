internal import CEvent
internal import Glibc

/// Calls a closure each time a UNIX signal, such as `SIGTERM`, arrives at the process. Releasing the handle restores the
/// signal's previous disposition.
@safe public final class SignalHandle {
    private let loop: LibeventLoop
    private var event: OpaquePointer?
    private let work: () -> Void

    /// Creates a handle that calls `work` for each `signal`, on the loop's thread and not in the signal
    /// handler's context. Wraps `event_new` with `EV_SIGNAL`.
    public init(_ signal: Int32, on loop: LibeventLoop, _ work: @escaping () -> Void)
        throws(EventLoopError)
    {
        self.loop = loop
        self.work = work
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = unsafe event_new(
            loop.base, signal, Int16(EV_SIGNAL | EV_PERSIST),
            { _, _, context in
                let handle = unsafe Unmanaged<SignalHandle>.fromOpaque(context!)
                    .takeUnretainedValue()
                handle.work()
            }, context)
        guard let event = unsafe event,
            unsafe event_priority_set(event, EventPriority.high.rawValue) == 0,
            unsafe event_add(event, nil) == 0
        else { throw .unavailable("a handle for the UNIX signal \(signal)") }
        Self.unblock(signal)
    }

    /// Unblocks the signal, because a process inherits its parent's blocked signals.
    private static func unblock(_ signal: Int32) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }
}
