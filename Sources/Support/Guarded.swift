internal import CExecution

/// A value under a lock: one thread at a time reads or changes it.
///
/// It replaces `Mutex`: `Mutex` needs iOS 18 and macOS 15, and ThreadSanitizer does not see it on Linux.
package struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    // The lock guards the value, and nothing but `withLock` reads the value.
    private nonisolated(unsafe) let lock: UnsafeMutablePointer<ExecutionLock>
    private nonisolated(unsafe) let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: ExecutionLock())
        execution_lock_init(lock)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        execution_lock_destroy(lock)
        lock.deallocate()
    }

    /// Calls `work` with the value; no other thread uses it meanwhile. `work` must not call this again.
    package func withLock<Result>(_ work: (inout Value) -> Result) -> Result {
        execution_lock(lock)
        defer { execution_unlock(lock) }
        return work(&value.pointee)
    }
}
