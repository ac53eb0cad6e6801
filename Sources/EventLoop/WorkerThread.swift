internal import Glibc

/// Starts threads for work that may block, such as a write to a disk or to a full pipe. Such work must not run on the event
/// loop's thread.
public enum WorkerThread {
    /// Runs the work on a new thread, which ends when the work returns. The work sends results to an event loop
    /// through a `ThreadInbox`. Throws if the thread cannot be created. Wraps `pthread_create(3)`.
    public static func start(_ work: @escaping @Sendable () -> Void) throws(EventLoopError) {
        let context = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                unsafe Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, context)
        guard result == 0 else {
            unsafe Unmanaged<Work>.fromOpaque(context).release()
            throw .unavailable("a thread")
        }
        pthread_detach(thread)
    }

    /// Holds the closure in an object, because a new thread receives nothing but one pointer from `pthread_create`.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
