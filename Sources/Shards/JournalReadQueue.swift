/// Lets the shards of a process read their journals one at a time. `StuckMonitor` needs these reads, to learn how long visits
/// last. The reads share the connections to the store with the changes of clients. So only one read is in progress at a time. No
/// read begins while a node restores the shards that it has acquired.
package final class JournalReadQueue {
    /// Begins a read, which calls `done` once at its end.
    package typealias Read = (_ done: @escaping () -> Void) -> Void

    private var waitingReads: [Read] = []
    private var isReading = false
    /// Whether more urgent reads are in progress. When it becomes false, call `startNext`.
    package var mustWait: () -> Bool = { false }

    package init() {}

    /// Adds a read, and begins it if none is in progress.
    package func add(_ read: @escaping Read) {
        waitingReads.append(read)
        startNext()
    }

    /// Begins the next read, unless one is in progress or `mustWait` is true.
    package func startNext() {
        while !isReading, !waitingReads.isEmpty, !mustWait() {
            isReading = true
            let read = waitingReads.removeFirst()
            read { [weak self] in
                self?.isReading = false
                self?.startNext()
            }
        }
    }
}
