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
/// After a failed commit the thread ends: the file has to be reopened and read, because it may contain
/// rows of the failed commit.
public final class JournalWriter: Sendable {
    private struct Inbox {
        var jobs: [JournalJob] = []
        var isClosed = false
    }

    private let inbox = Mutex(Inbox())
    /// The eventfd on which the thread waits for jobs.
    private let wakeDescriptor: Int32
    private let directory: String
    /// The newest row to keep when the file is reopened after a failure; nil at a start.
    private let keeping: JournalPosition?
    private let messages: ThreadInbox<JournalMessage>

    /// Prepares to write a directory's journal; `messages` receives what the thread reports. The file is opened on
    /// the writer's thread, which then removes the rows after `keeping`, if that is given.
    public init(
        _ directory: String, keeping: JournalPosition? = nil,
        _ messages: ThreadInbox<JournalMessage>
    )
        throws(EventLoopError)
    {
        (self.directory, self.keeping, self.messages) = (directory, keeping, messages)
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else { throw .unavailable("eventfd") }
    }

    deinit { Glibc.close(wakeDescriptor) }

    /// Starts the thread, which retains the writer until it has ended.
    public func start() throws(EventLoopError) { try WorkerThread.start { self.run() } }

    /// Adds a batch; batches are numbered from 1. Never blocks.
    public func append(_ batch: [JournalRow]) { ask(.append(batch)) }

    func ask(_ job: JournalJob) {
        inbox.withLock { $0.jobs.append(job) }
        wakeThread()
    }

    /// Tells the thread to execute the jobs that wait, and to end. Does not wait for it.
    public func finish() {
        inbox.withLock { $0.isClosed = true }
        wakeThread()
    }

    private func wakeThread() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }

    // MARK: on the writer's thread

    private func run() {
        var worker = JournalWorker(messages)
        do {
            let file =
                if let keeping { try JournalFile(reopening: directory, keeping: keeping) } else {
                    try JournalFile(directory)
                }
            messages.send(.opened)
            worker.begin(file, HighWaterMarkFile(directory))
            while worker.isOpen {
                let (jobs, isClosed) = wait(worker.isBusy)
                worker.execute(jobs)
                if isClosed { worker.end() }
            }
        } catch { worker.fail(.lost(why: error.why)) }
        // The file is closed now: the receiver of this message may open it.
        messages.send(.ended(upTo: worker.lastDurableBatch, worker.outcome))
    }

    /// Returns all jobs that have arrived. Blocks until there is one, unless there is other work to do
    /// (`isBusy`).
    private func wait(_ isBusy: Bool) -> (jobs: [JournalJob], isClosed: Bool) {
        if !isBusy {
            var counter: UInt64 = 0
            while read(wakeDescriptor, &counter, 8) < 0, errno == EINTR {}
        }
        return inbox.withLock { (exchange(&$0.jobs, with: []), $0.isClosed) }
    }
}
