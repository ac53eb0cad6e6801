import CLinux
import EventLoop
import Glibc
import Synchronization
import Timers

/// Writes lines to a descriptor on a separate thread, so that logging never blocks.
///
/// A full pipe or a stopped terminal blocks a write. Meanwhile lines are queued, up to a limit in
/// bytes; further lines are dropped and counted, and the count is logged when there is room again.
/// Can be used from any thread.
final class LogWriter: Sendable {
    /// The maximum size of the queue in bytes.
    static let limit = 256 << 10

    private struct Waiting {
        var lines: [[UInt8]] = []
        var bytes = 0
        var dropped = 0
        /// Whether the thread has taken lines that are not completely written.
        var isWriting = false
        var isStarted = false

        var isIdle: Bool { lines.isEmpty && dropped == 0 && !isWriting }
    }

    private let descriptor: Int32
    private let limit: Int
    private let report: @Sendable (_ dropped: Int) -> [UInt8]
    private let waiting = Mutex(Waiting())
    /// Incremented when there are lines to write, and when all of them are written.
    private let wake: Int32
    private let done: Int32

    /// Writes to a descriptor, which remains open. `report` makes the line with the number of
    /// dropped lines.
    init(
        _ descriptor: Int32, limit: Int = LogWriter.limit,
        report: @escaping @Sendable (_ dropped: Int) -> [UInt8]
    ) {
        (self.descriptor, self.limit, self.report) = (descriptor, limit, report)
        wake = eventfd(0, Int32(EFD_CLOEXEC))
        done = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        close(wake)
        close(done)
    }

    /// Queues a line, which includes its newline. Never blocks.
    func write(_ line: [UInt8]) {
        let isFirst = waiting.withLock { waiting in
            if waiting.bytes + line.count > limit {
                waiting.dropped += 1
            } else {
                waiting.lines.append(line)
                waiting.bytes += line.count
            }
            return !exchange(&waiting.isStarted, with: true)
        }
        // If the thread cannot be started, nothing is logged.
        if isFirst { try? WorkerThread.start { self.run() } }
        Self.count(wake)
    }

    /// Waits until all lines are written, at most for that time; used before the process ends.
    func finish(within time: Duration) {
        let end = ContinuousClock.now + time
        while !waiting.withLock({ $0.isIdle }) {
            let left = end - ContinuousClock.now
            guard left > .zero else { return }
            var wanted = pollfd(fd: done, events: Int16(POLLIN), revents: 0)
            let most = min(left, .seconds(60))
            poll(&wanted, 1, Int32((most / .milliseconds(1)).rounded(.up)))
            var counter: UInt64 = 0
            _ = read(done, &counter, 8)
        }
    }

    private static func count(_ descriptor: Int32) {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor, &one, 8)
    }

    // MARK: on the writing thread

    private func run() {
        while true {
            var counter: UInt64 = 0
            while read(wake, &counter, 8) < 0, errno == EINTR {}
            let (lines, dropped) = waiting.withLock { waiting in
                waiting.isWriting = true
                waiting.bytes = 0
                return (exchange(&waiting.lines, with: []), exchange(&waiting.dropped, with: 0))
            }
            for line in lines { put(line) }
            if dropped > 0 { put(report(dropped)) }
            waiting.withLock { $0.isWriting = false }
            Self.count(done)
        }
    }

    /// Blocks until the line is written. If it cannot be written at all, it is lost.
    private func put(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest.removeFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
