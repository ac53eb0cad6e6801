import CLinux
import EventLoop
import Glibc
import Synchronization
import Timers

/// Writes lines to a descriptor on a separate thread, so that logging never blocks.
///
/// A full pipe or a stopped terminal blocks a write. Meanwhile lines are queued, up to a limit in
/// bytes; further lines are dropped and counted, and the count is logged when writing is possible again.
/// All methods can be called from any thread.
package final class LogWriter: Sendable {
    /// The maximum size of the queue in bytes.
    package static let limit = 256 << 10

    private struct Queue {
        var lines: [[UInt8]] = []
        /// The size of `lines` in bytes.
        var bytes = 0
        /// The number of lines that were dropped since the last report.
        var dropped = 0
        /// Whether the thread is writing lines, which it has removed from the queue.
        var isWriting = false
        /// Whether the thread was started; the first line starts it.
        var isStarted = false

        var isIdle: Bool { lines.isEmpty && dropped == 0 && !isWriting }
    }

    private let descriptor: Int32
    private let limit: Int
    /// Returns the line that says how many lines were dropped.
    private let report: @Sendable (_ dropped: Int) -> [UInt8]
    private let queue = Mutex(Queue())
    /// The descriptor of an event counter (eventfd(2)), which is incremented when there are lines to write.
    private let wakeEvent: Int32
    /// The descriptor of an event counter (eventfd(2)), which is incremented when the thread has written its lines.
    private let doneEvent: Int32

    /// Creates a writer for a descriptor, which the writer does not close. `limit` is the maximum size of the queue in bytes.
    /// `report` returns the line that says how many lines were dropped; it is called on the writer's thread.
    package init(
        _ descriptor: Int32, limit: Int = LogWriter.limit,
        report: @escaping @Sendable (_ dropped: Int) -> [UInt8]
    ) {
        (self.descriptor, self.limit, self.report) = (descriptor, limit, report)
        wakeEvent = eventfd(0, Int32(EFD_CLOEXEC))
        doneEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        close(wakeEvent)
        close(doneEvent)
    }

    /// Queues a line, which includes its newline. Never blocks.
    package func write(_ line: [UInt8]) {
        let isFirst = queue.withLock { queue in
            if queue.bytes + line.count > limit {
                queue.dropped += 1
            } else {
                queue.lines.append(line)
                queue.bytes += line.count
            }
            return !exchange(&queue.isStarted, with: true)
        }
        // If the thread cannot be started, nothing is logged.
        if isFirst { try? WorkerThread.start { self.run() } }
        Self.signal(wakeEvent)
    }

    /// Waits until all lines are written, but no longer than `time`. Call it before the process ends.
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

    /// Writes the queued lines each time `wakeEvent` is incremented. Does not return.
    private func run() {
        while true {
            var counter: UInt64 = 0
            while read(wakeEvent, &counter, 8) < 0, errno == EINTR {}
            let (lines, dropped) = queue.withLock { queue in
                queue.isWriting = true
                queue.bytes = 0
                return (exchange(&queue.lines, with: []), exchange(&queue.dropped, with: 0))
            }
            for line in lines { writeBlocking(line) }
            if dropped > 0 { writeBlocking(report(dropped)) }
            queue.withLock { $0.isWriting = false }
            Self.signal(doneEvent)
        }
    }

    /// Blocks until the line is written. If a write fails, the rest of the line is lost.
    private func writeBlocking(_ line: [UInt8]) {
        var unwritten = line[...]
        while !unwritten.isEmpty {
            let count = unwritten.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                unwritten.removeFirst(count)
            } else if errno == EAGAIN {
                var descriptorState = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptorState, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
