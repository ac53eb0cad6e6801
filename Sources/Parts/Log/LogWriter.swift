import CLinux
import EventLoop
import Glibc
import Synchronization
import Timers

/// Writes the entries of the log on a separate thread, so that logging never blocks.
///
/// A full pipe, a stopped terminal or a busy journald blocks a write. Meanwhile entries are queued, up to a limit in
/// bytes; further entries are dropped and counted, and the count is logged when writing is possible again.
/// All methods can be called from any thread.
package final class LogWriter: Sendable {
    /// The maximum size of the queue in bytes.
    package static let limit = 256 << 10

    private struct Queue {
        var destination: any LogDestination
        var entries: [LogEntry] = []
        /// The size of `entries` in bytes.
        var bytes = 0
        /// The number of entries that were dropped since the last report.
        var dropped = 0
        /// Whether the thread is writing entries, which it has removed from the queue.
        var isWriting = false
        /// Whether the thread was started; the first entry starts it.
        var isStarted = false

        var isIdle: Bool { entries.isEmpty && dropped == 0 && !isWriting }

        init(_ destination: any LogDestination) { self.destination = destination }
    }

    private let limit: Int
    /// Returns the entry that says how many entries were dropped.
    private let report: @Sendable (_ dropped: Int) -> LogEntry
    private let queue: Mutex<Queue>
    /// The descriptor of an event counter (eventfd(2)), which is incremented when there are entries to write.
    private let wakeEvent: Int32
    /// The descriptor of an event counter (eventfd(2)), which is incremented when the thread has written its entries.
    private let doneEvent: Int32

    /// Creates a writer for a destination. `limit` is the maximum size of the queue in bytes. `report` returns the entry that says
    /// how many entries were dropped; it is called on the writer's thread.
    package init(
        _ destination: any LogDestination, limit: Int = LogWriter.limit,
        report: @escaping @Sendable (_ dropped: Int) -> LogEntry
    ) {
        (self.limit, self.report) = (limit, report)
        queue = Mutex(Queue(destination))
        wakeEvent = eventfd(0, Int32(EFD_CLOEXEC))
        doneEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        close(wakeEvent)
        close(doneEvent)
    }

    /// Writes the entries that are queued, and all later ones, to another destination.
    package func setDestination(_ destination: any LogDestination) {
        queue.withLock { $0.destination = destination }
    }

    /// Queues an entry. Never blocks.
    package func write(_ entry: LogEntry) {
        let isFirst = queue.withLock { queue in
            if queue.bytes + entry.size > limit {
                queue.dropped += 1
            } else {
                queue.entries.append(entry)
                queue.bytes += entry.size
            }
            return !exchange(&queue.isStarted, with: true)
        }
        // If the thread cannot be started, nothing is logged.
        if isFirst { try? WorkerThread.start { self.run() } }
        Self.signal(wakeEvent)
    }

    /// Waits until all entries are written, but no longer than `time`. Call it before the process ends.
    package func finish(within time: Duration) {
        let end = ContinuousClock.now + time
        while !queue.withLock({ $0.isIdle }) {
            let remaining = end - ContinuousClock.now
            guard remaining > .zero else { return }
            var descriptorState = pollfd(fd: doneEvent, events: Int16(POLLIN), revents: 0)
            // poll(2) takes 32 bits of milliseconds, so one call waits for at most a minute.
            let longestPoll = min(remaining, .seconds(60))
            poll(&descriptorState, 1, Int32((longestPoll / .milliseconds(1)).rounded(.up)))
            // Sets the event counter to zero; its value has eight bytes.
            var counter: UInt64 = 0
            _ = read(doneEvent, &counter, 8)
        }
    }

    /// Increments an event counter, by writing its eight-byte number. Wraps write(2).
    private static func signal(_ descriptor: Int32) {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor, &one, 8)
    }

    // MARK: on the writing thread

    /// Writes the queued entries each time `wakeEvent` is incremented. Does not return.
    private func run() {
        while true {
            var counter: UInt64 = 0
            while read(wakeEvent, &counter, 8) < 0, errno == EINTR {}
            let (destination, entries, dropped) = queue.withLock { queue in
                queue.isWriting = true
                queue.bytes = 0
                return (
                    queue.destination, exchange(&queue.entries, with: []),
                    exchange(&queue.dropped, with: 0)
                )
            }
            for entry in entries { destination.write(entry) }
            if dropped > 0 { destination.write(report(dropped)) }
            queue.withLock { $0.isWriting = false }
            Self.signal(doneEvent)
        }
    }
}
