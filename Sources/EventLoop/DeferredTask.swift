internal import CEvent

/// Work that runs in a later turn of the loop. Releasing the task cancels it.
@safe public final class DeferredTask {
    private let loop: LibeventLoop
    private var event: OpaquePointer?
    private let work: () -> Void

    /// Creates a task that calls `work` on the loop's thread, once after one or more uses of `call`. Wraps
    /// `event_new` without a descriptor.
    public init(on loop: LibeventLoop, _ priority: EventPriority, _ work: @escaping () -> Void)
        throws(EventLoopError)
    {
        self.loop = loop
        self.work = work
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = unsafe event_new(
            loop.base, -1, 0,
            { _, _, context in
                let task = unsafe Unmanaged<DeferredTask>.fromOpaque(context!).takeUnretainedValue()
                task.work()
            }, context)
        guard unsafe event != nil else { throw .unavailable("a deferred task") }
        unsafe event_priority_set(event, priority.rawValue)
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }

    /// Requests a call of the work in the next turn. Wraps `event_active`.
    public func call() { unsafe event_active(event, Int32(EV_TIMEOUT), 0) }
}
