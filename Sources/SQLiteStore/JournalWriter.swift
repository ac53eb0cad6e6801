internal import CLinux
public import EventLoop
internal import Glibc
public import Journal
public import Sessions
internal import Synchronization
internal import Timers

/// The thread that writes to the disk. Batches that arrive during a commit are committed together,
/// as one transaction.
///
/// After a failed commit it accepts no more: the file has to be reopened and read, because it may
/// contain what failed.
public final class JournalWriter: Sendable {
    private struct Inbox {
        var jobs: [JournalJob] = []
        var isClosed = false
    }

    private let inbox = Mutex(Inbox())
    private let wake: Int32
    private let directory: String
    private let keeping: JournalPosition?
    private let door: ThreadInbox<JournalMessage>

    /// Prepares to write a directory's journal; messages are sent to `door`. The file is opened on
    /// the writer's thread, which then removes the rows after `keeping`, if that is given.
    public init(
        _ directory: String, keeping: JournalPosition? = nil, _ door: ThreadInbox<JournalMessage>
    )
        throws(EventLoopError)
    {
        (self.directory, self.keeping, self.door) = (directory, keeping, door)
        wake = eventfd(0, Int32(EFD_CLOEXEC))
        guard wake >= 0 else { throw .unavailable("eventfd") }
    }

    deinit { Glibc.close(wake) }

    /// Starts the thread, which retains the writer until it has ended.
    public func start() throws(EventLoopError) { try WorkerThread.start { self.run() } }

    /// Adds a batch; batches are numbered from 1. Never blocks.
    public func append(_ batch: [JournalRow]) { ask(.append(batch)) }

    func ask(_ job: JournalJob) {
        inbox.withLock { $0.jobs.append(job) }
        ring()
    }

    /// Executes the jobs that wait, and ends the thread.
    public func finish() {
        inbox.withLock { $0.isClosed = true }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    // MARK: on the writer's thread

    private func run() {
        var desk = JournalWorker(door)
        do {
            let file =
                if let keeping { try JournalFile(again: directory, keeping: keeping) } else {
                    try JournalFile(directory)
                }
            door.send(.opened)
            desk.begin(file, HighWaterMarkFile(directory))
            while desk.isOpen {
                let (jobs, isClosed) = wait(desk.isBusy)
                desk.take(jobs)
                if isClosed { desk.end() }
            }
        } catch { desk.fail(.lost(why: error.why)) }
        // The file is closed now: the receiver of this message may open it.
        door.send(.ended(upTo: desk.settled, desk.outcome))
    }

    /// Takes all jobs that have arrived. Blocks until there is one, unless there is other work to
    /// do.
    private func wait(_ isBusy: Bool) -> (jobs: [JournalJob], isClosed: Bool) {
        if !isBusy {
            var counter: UInt64 = 0
            while read(wake, &counter, 8) < 0, errno == EINTR {}
        }
        return inbox.withLock { (exchange(&$0.jobs, with: []), $0.isClosed) }
    }
}
