internal import CEvent

/// Work that is left for another turn of the loop, until it is let go of.
@safe public final class DeferredTask {
    private let loop: LibeventLoop
    private var event: OpaquePointer?
    private let work: () -> Void

    /// Calls `work` on the loop's thread, once for each turn in which it was asked for. Wraps `event_new`
    /// without a descriptor.
    public init(on loop: LibeventLoop, _ urgency: EventPriority, _ work: @escaping () -> Void)
        throws(EventLoopError)
    {
        self.loop = loop
        self.work = work
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = unsafe event_new(
            loop.base, -1, 0,
            { _, _, me in
                let task = unsafe Unmanaged<DeferredTask>.fromOpaque(me!).takeUnretainedValue()
                task.work()
            }, me)
        guard unsafe event != nil else { throw .unavailable("task") }
        unsafe event_priority_set(event, urgency.priority)
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }

    /// Asks for it. Wraps `event_active`.
    public func call() { unsafe event_active(event, Int32(EV_TIMEOUT), 0) }
}
