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
            unsafe event_add(event, nil) == 0
        else { throw .unavailable("a handle for the UNIX signal \(signal)") }
        // The caller may have blocked the signal, and a process inherits its parent's blocked signals.
        Self.unblock([signal])
    }

    /// Blocks the signals in this thread, and in the threads that it starts. A blocked signal does not end the process: it
    /// arrives when a handle for it is created. Call this function at the start of a program that handles signals later.
    public static func block(_ signals: [Int32]) { change(SIG_BLOCK, signals) }

    /// Undoes `block`.
    public static func unblock(_ signals: [Int32]) { change(SIG_UNBLOCK, signals) }

    private static func change(_ operation: Int32, _ signals: [Int32]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(operation, &set, nil)
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }
}
