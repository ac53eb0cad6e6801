internal import CEvent
internal import CLinux
internal import Glibc

/// A timer of the kernel (timerfd) that a loop waits for together with its descriptors. libevent's own timers would be set
/// again before each wait, which costs a system call in each turn; this timer is set only when its owner sets it.
@safe final class KernelTimer {
    private let descriptor: Int32
    private var event: OpaquePointer?
    private let work: () -> Void
    /// Whether the loop waits for the timer; false after `set` and `repeatEach` only if the system has refused it.
    private(set) var isWatched = false

    /// Creates a timer that is not set. `work` is called on the loop's thread when it expires. `base` is libevent's loop.
    init(on base: OpaquePointer, _ work: @escaping () -> Void) throws(EventLoopError) {
        descriptor = linux_timer()
        self.work = work
        guard descriptor >= 0 else { throw .unavailable("a timer") }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = unsafe event_new(
            base, descriptor, Int16(EV_READ | EV_PERSIST),
            { descriptor, _, context in
                // Reads the number of expirations, so that the descriptor is not readable again at once.
                var count: UInt64 = 0
                _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
                let timer = unsafe Unmanaged<KernelTimer>.fromOpaque(context!).takeUnretainedValue()
                timer.work()
            }, context)
        guard unsafe event != nil else { throw .unavailable("a timer") }
    }

    deinit {
        if let event = unsafe event { unsafe event_free(event) }
        close(descriptor)
    }

    /// Lets the timer expire once after a time; a time that is not positive is over at once. Replaces an earlier time.
    func set(nanoseconds: Int64) {
        // A time of zero would stop the timer.
        let wait = Int(max(1, nanoseconds))
        linux_set_timer(descriptor, wait / 1_000_000_000, wait % 1_000_000_000, 0)
        watch()
    }

    /// Lets the timer expire each `seconds` seconds.
    func repeatEach(seconds: Int) {
        linux_set_timer(descriptor, seconds, 0, seconds)
        watch()
    }

    private func watch() {
        guard !isWatched else { return }
        isWatched = unsafe event_add(event, nil) == 0
    }

    /// Stops waiting for the timer, until it is set again.
    func unwatch() {
        guard isWatched else { return }
        isWatched = false
        unsafe event_del(event)
    }
}
