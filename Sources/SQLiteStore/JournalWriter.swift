internal import CLinux
public import EventLoop
internal import Glibc
public import Journal
public import Sessions
internal import Synchronization
internal import Timers

/// The thread that waits for the disk. Batches that come while it commits are committed together, as
/// one transaction.
///
/// After a commit has failed it takes no more: the file has to be opened anew and looked at, for what
/// failed may be there all the same.
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

    /// Begins to write a directory's journal; what it has to say comes out of `door`. The file is opened on the
    /// writer's thread, and rows behind the row `keeping` are removed then, if one is given.
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

    /// Starts the thread, which holds on to the writer until it is closed.
    public func start() throws(EventLoopError) { try WorkerThread.start { self.run() } }

    /// Takes a batch, the next in number from 1. Never waits.
    public func append(_ batch: [JournalRow]) { ask(.append(batch)) }

    func ask(_ job: JournalJob) {
        inbox.withLock { $0.jobs.append(job) }
        ring()
    }

    /// Does what it was asked, and ends the thread.
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
        } catch { desk.fail(.lost(why: error.description)) }
        // The file is closed by now: whoever hears this may open it.
        door.send(.ended(upTo: desk.settled, desk.outcome))
    }

    /// Everything that has gathered, waited for unless there is something to do meanwhile.
    private func wait(_ isBusy: Bool) -> (jobs: [JournalJob], isClosed: Bool) {
        if !isBusy {
            var counter: UInt64 = 0
            while read(wake, &counter, 8) < 0, errno == EINTR {}
        }
        return inbox.withLock { (exchange(&$0.jobs, with: []), $0.isClosed) }
    }
}
