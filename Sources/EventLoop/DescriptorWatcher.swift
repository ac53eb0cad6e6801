internal import CEvent
internal import Glibc

/// Watches one descriptor. Releasing the watcher ends the watch. The owner of the descriptor closes it after
/// releasing the watcher.
@safe public final class DescriptorWatcher {
    /// The kind of readiness to wait for.
    public enum Interest: Sendable { case readable, writable }

    private let loop: LibeventLoop
    private var event: OpaquePointer?
    private var nextTurnTask: DeferredTask?
    private let work: () -> Void

    /// Creates a watcher that calls `work` on the loop's thread whenever `descriptor` is ready. If `isEnabled`
    /// is false, it does not watch until `enable` is called. Throws if the descriptor is not open, or cannot be watched, as one of a
    /// regular file. Wraps `event_new` with `EV_PERSIST`.
    public init(
        _ descriptor: Int32, _ interest: Interest, on loop: LibeventLoop, isEnabled: Bool = true,
        _ work: @escaping () -> Void
    ) throws(EventLoopError) {
        self.loop = loop
        self.work = work
        let flags = Int32(interest == .readable ? EV_READ : EV_WRITE) | EV_PERSIST
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = unsafe event_new(
            loop.base, descriptor, Int16(flags),
            { _, _, context in
                // Retained for the duration of the call, because the work may release the watcher.
                let watcher = unsafe Unmanaged<DescriptorWatcher>.fromOpaque(context!)
                    .takeUnretainedValue()
                let loop = watcher.loop
                // If the process stood still, this may close the descriptor unread.
                loop.readClock()
                if unsafe watcher.isEnabled { watcher.work() }
                loop.callbackEnded()
            }, context)
        guard unsafe event != nil, descriptor >= 0 else {
            throw .unavailable("a watcher of a descriptor")
        }
        guard isEnabled else { return }
        enable()
        guard unsafe self.isEnabled else { throw .unavailable("a watcher of this descriptor") }
    }

    deinit { if let event = unsafe event { unsafe event_free(event) } }

    /// Whether the descriptor is watched at present.
    @exclusivity(unchecked) public private(set) var isEnabled = false

    /// Starts watching; `isEnabled` stays false if the descriptor cannot be watched. Wraps `event_add`.
    public func enable() {
        guard unsafe !isEnabled else { return }
        unsafe isEnabled = unsafe event_add(event, nil) == 0
    }

    /// Stops watching until the next `enable`. Wraps `event_del`.
    public func disable() {
        guard unsafe isEnabled else { return }
        unsafe isEnabled = false
        unsafe event_del(event)
    }

    /// Calls the work in the loop's next turn, whether or not the descriptor is ready. For callers that split
    /// their work over several turns.
    public func callAgain() {
        let task =
            nextTurnTask
            ?? DeferredTask(on: loop) { [unowned self] in
                withExtendedLifetime(self) { work() }
            }
        nextTurnTask = task
        task.call()
    }
}
