internal import CEvent
internal import Glibc

/// Watches one descriptor. Releasing the watcher ends the watch. The owner of the descriptor closes it, after
/// it has released the watcher.
@safe public final class DescriptorWatcher {
    /// The kind of readiness to wait for.
    public enum Interest: Sendable { case readable, writable }

    private let loop: LibeventLoop
    private let urgency: EventPriority
    private var event: OpaquePointer?
    private var again: DeferredTask?
    private let work: () -> Void

    /// Creates a watcher that calls `work` on the loop's thread whenever `descriptor` is ready. With `isAwake`
    /// false it does not watch until `wake` is called. Wraps `event_new` with `EV_PERSIST`.
    public init(
        _ descriptor: Int32, _ interest: Interest, on loop: LibeventLoop, isAwake: Bool = true,
        _ urgency: EventPriority = .first, _ work: @escaping () -> Void
    ) throws(EventLoopError) {
        self.loop = loop
        self.urgency = urgency
        self.work = work
        let flags = Int32(interest == .readable ? EV_READ : EV_WRITE) | EV_PERSIST
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = unsafe event_new(
            loop.base, descriptor, Int16(flags),
            { _, _, me in
                // Retained for the duration of the call, because the work may release the watcher.
                let descriptor = unsafe Unmanaged<DescriptorWatcher>.fromOpaque(me!)
                    .takeUnretainedValue()
                descriptor.work()
            }, me)
        guard unsafe event != nil else { throw .unavailable("descriptor") }
        unsafe event_priority_set(event, urgency.rawValue)
        if isAwake { wake() }
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }

    public private(set) var isAwake = false

    /// Starts watching. Wraps `event_add`.
    public func wake() {
        guard !isAwake else { return }
        isAwake = true
        unsafe event_add(event, nil)
    }

    /// Stops watching until the next `wake`. Wraps `event_del`.
    public func sleep() {
        guard isAwake else { return }
        isAwake = false
        unsafe event_del(event)
    }

    /// Calls the work in the loop's next turn, whether or not the descriptor is ready. For callers that split
    /// their work over several turns.
    ///
    /// This does not activate the descriptor's own event: libevent does not watch an event that is already
    /// active when it is added, and reports no error.
    public func callAgain() {
        if again == nil {
            again = try? DeferredTask(on: loop, urgency) { [unowned self] in
                withExtendedLifetime(self) { work() }
            }
        }
        again?.call()
    }
}
