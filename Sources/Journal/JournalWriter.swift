internal import CLinux
internal import Glibc
internal import Synchronization
public import Timers

/// The thread that waits for the disk. Batches that come while it commits are committed together, as
/// one transaction.
///
/// After a commit has failed it takes no more: the file has to be opened anew and looked at, for what
/// failed may be there all the same.
public final class JournalWriter: Sendable {
    /// What became of all batches up to a number, and of how many transactions that was the last.
    public struct Report: Equatable, Sendable {
        public fileprivate(set) var upTo: Int
        public fileprivate(set) var outcome: StoreOutcome
        public fileprivate(set) var transactions: Int
        /// Whether the file is closed, and nothing more will come.
        public fileprivate(set) var isLast: Bool
    }

    private struct Inbox {
        var batches: [[JournalRow]] = []
        var isClosed = false
    }

    private let inbox = Mutex(Inbox())
    private let wake: Int32
    private let directory: String
    private let door: Door<Report>

    /// Begins to write a directory's journal; reports come out of `door`. The file is opened on the writer's
    /// thread: what is wrong with it is the first report.
    public init(_ directory: String, _ door: Door<Report>) throws(EventLoopError) {
        (self.directory, self.door) = (directory, door)
        wake = eventfd(0, Int32(EFD_CLOEXEC))
        guard wake >= 0 else { throw .unavailable("eventfd") }
    }

    deinit { Glibc.close(wake) }

    /// Starts the thread, which holds on to the writer until it is closed. Wraps `pthread_create(3)`.
    public func start() throws(EventLoopError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<JournalWriter>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context)
        guard result == 0 else {
            Unmanaged<JournalWriter>.fromOpaque(context).release()
            throw .unavailable("pthread_create")
        }
        pthread_detach(thread)
    }

    /// Takes a batch, the next in number from 1. Never waits.
    public func append(_ batch: [JournalRow]) {
        inbox.withLock { $0.batches.append(batch) }
        ring()
    }

    /// Commits what was taken, and ends the thread.
    public func finish() {
        inbox.withLock { $0.isClosed = true }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    // MARK: on its own thread

    private func run() {
        var last = Report(upTo: 0, outcome: .kept, transactions: 0, isLast: false)
        do { last = serve(try JournalFile(directory)) } catch {
            last.outcome = .lost(why: error.description)
        }
        // The file is closed by now: whoever hears this may open it.
        last.isLast = true
        door.send(last)
    }

    /// Commits what comes until it is over, or a commit has failed.
    private func serve(_ file: JournalFile) -> Report {
        var report = Report(upTo: 0, outcome: .kept, transactions: 0, isLast: false)
        while true {
            let (batches, isClosed) = wait()
            if !batches.isEmpty {
                report.upTo += batches.count
                report.transactions += 1
                report.outcome = commit(batches, file)
                if report.outcome != .kept { return report }
                door.send(report)
            }
            if isClosed { return report }
        }
    }

    /// Everything that has gathered, waited for.
    private func wait() -> (batches: [[JournalRow]], isClosed: Bool) {
        var counter: UInt64 = 0
        while read(wake, &counter, 8) < 0, errno == EINTR {}
        return inbox.withLock { (exchange(&$0.batches, with: []), $0.isClosed) }
    }

    private func commit(_ batches: [[JournalRow]], _ file: JournalFile) -> StoreOutcome {
        do { try file.append(batches.flatMap { $0 }) } catch {
            // It may be there all the same when the file is read again.
            return .unknown(why: error.description)
        }
        return .kept
    }
}
