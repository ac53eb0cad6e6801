internal import CLinux
public import EventLoop
internal import Glibc
public import Journal
public import Sessions
internal import Synchronization
internal import Timers

/// The thread that writes a `SQLiteStore`'s rows to the disk. Batches that arrive during a commit are committed together, as
/// the next transaction.
///
/// After a failed commit the thread ends: the file has to be reopened and read, because it may contain
/// rows of the failed commit.
public final class JournalWriter: Sendable {
    /// What other threads tell the writer's thread.
    private struct Inbox {
        var jobs: [JournalJob] = []
        var isClosed = false
    }

    private let inbox = Mutex(Inbox())
    /// The eventfd on which the thread waits for jobs.
    private let wakeDescriptor: Int32
    private let directory: String
    /// The newest durable row, if the file is reopened after a failure; nil at a start.
    private let newestDurable: JournalPosition?
    private let messages: ThreadInbox<JournalMessage>

    /// Prepares to write a directory's journal; `messages` receives what the thread reports. The thread opens the file, and
    /// then removes the rows after `newestDurable`, if that is given.
    public init(
        _ directory: String, keeping newestDurable: JournalPosition? = nil,
        _ messages: ThreadInbox<JournalMessage>
    )
        throws(EventLoopError)
    {
        (self.directory, self.newestDurable) = (directory, newestDurable)
        self.messages = messages
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else { throw .unavailable("eventfd") }
    }

    deinit { Glibc.close(wakeDescriptor) }

    /// Starts the thread, which retains the writer until it has ended.
    public func start() throws(EventLoopError) { try WorkerThread.start { self.run() } }

    /// Adds a batch; batches are numbered from 1. Never blocks.
    public func append(_ batch: [JournalRow]) { enqueue(.append(batch)) }

    /// Adds a job to those that wait for the thread. Never blocks.
    func enqueue(_ job: JournalJob) {
        inbox.withLock { $0.jobs.append(job) }
        wakeThread()
    }

    /// Tells the thread to execute the jobs that wait, and then to end. Does not wait for the thread's end.
    public func finish() {
        inbox.withLock { $0.isClosed = true }
        wakeThread()
    }

    private func wakeThread() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: on the writer's thread

    private func run() {
        var worker = JournalWorker(messages)
        do {
            let file =
                if let newestDurable {
                    try JournalFile(reopening: directory, keeping: newestDurable)
                } else {
                    try JournalFile(directory)
                }
            messages.send(.opened)
            try worker.begin(file, HighWaterMarkFile(directory))
            while worker.isOpen {
                let (jobs, isClosed) = takeJobs(isBusy: worker.isBusy)
                worker.execute(jobs)
                if isClosed { worker.end() }
            }
        } catch { worker.fail(.lost(why: error.why)) }
        // The file is closed now: the receiver of this message may open it.
        messages.send(.ended(upTo: worker.lastDurableBatch, worker.outcome))
    }

    /// Removes and returns all jobs that have arrived. If the worker has no work in progress, blocks until a job arrives or
    /// `finish` is called.
    private func takeJobs(isBusy: Bool) -> (jobs: [JournalJob], isClosed: Bool) {
        if !isBusy {
            var counter: UInt64 = 0
            let size = MemoryLayout<UInt64>.size
            while read(wakeDescriptor, &counter, size) < 0, errno == EINTR {}
        }
        return inbox.withLock { (exchange(&$0.jobs, with: []), $0.isClosed) }
    }
}
