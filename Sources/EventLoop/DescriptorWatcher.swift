internal import CEvent
internal import Glibc

/// Watches one descriptor until it is let go of. Closing the descriptor is its owner's business, and
/// comes after letting go of this.
@safe public final class DescriptorWatcher {
    /// What is waited for.
    public enum Interest: Sendable { case readable, writable }

    private let loop: LibeventLoop
    private let urgency: EventPriority
    private var event: OpaquePointer?
    private var again: DeferredTask?
    private let work: () -> Void

    /// Calls `work` on the loop's thread whenever `descriptor` is ready. Begins asleep or awake.
    /// Wraps `event_new` with `EV_PERSIST`.
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
                // Held for the length of the call, in which the work may let go of the handle.
                let descriptor = unsafe Unmanaged<DescriptorWatcher>.fromOpaque(me!)
                    .takeUnretainedValue()
                descriptor.work()
            }, me)
        guard unsafe event != nil else { throw .unavailable("descriptor") }
        unsafe event_priority_set(event, urgency.priority)
        if isAwake { wake() }
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }

    public private(set) var isAwake = false

    /// Begins to wait. Wraps `event_add`.
    public func wake() {
        guard !isAwake else { return }
        isAwake = true
        unsafe event_add(event, nil)
    }

    /// Stops waiting; nothing is forgotten. Wraps `event_del`.
    public func sleep() {
        guard isAwake else { return }
        isAwake = false
        unsafe event_del(event)
    }

    /// Calls the work in the loop's next turn, whether the descriptor is ready or not: for whoever has
    /// more to do than one turn should hold.
    ///
    /// Not by making the descriptor's own event active: one that is active already is not waited for when
    /// it is added, and libevent does not say so.
    public func callAgain() {
        if again == nil {
            again = try? DeferredTask(on: loop, urgency) { [unowned self] in
                withExtendedLifetime(self) { work() }
            }
        }
        again?.call()
    }
}
