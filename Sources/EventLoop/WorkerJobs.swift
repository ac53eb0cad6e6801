/// Runs jobs on worker threads, each on its own, and passes their results to the event loop.
///
/// If it is released, no further result arrives: a job that is still running ends on its thread, and its result is dropped. Use it on
/// the loop's thread only.
package final class WorkerJobs<Result: Sendable> {
    private struct Finished: Sendable {
        let number: Int
        let result: Result
    }

    private let loop: LibeventLoop
    /// Where the results arrive; nil before the first job, because most owners have none.
    private var results: (inbox: ThreadInbox<Finished>, watcher: DescriptorWatcher)?
    /// What is called with the results of the running jobs, by the numbers of the jobs.
    private var running: [Int: (Result) -> Void] = [:]
    private var newestNumber = 0

    package init(on loop: LibeventLoop) { self.loop = loop }

    /// Runs the work on a new thread, and passes its result to `done` in a later turn of the loop. Throws, and calls neither, if
    /// the thread cannot be created, or for the first job if there is no free descriptor.
    package func start(
        _ work: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void
    ) throws(EventLoopError) {
        let inbox = try openInbox()
        newestNumber += 1
        let number = newestNumber
        try WorkerThread.start { inbox.send(Finished(number: number, result: work())) }
        running[number] = done
    }

    private func openInbox() throws(EventLoopError) -> ThreadInbox<Finished> {
        if let results { return results.inbox }
        let inbox = try ThreadInbox<Finished>()
        // Weak, because a `done` may release this object while further results wait.
        let watcher = try inbox.open(on: loop) { [weak self] finished in
            self?.running.removeValue(forKey: finished.number)?(finished.result)
        }
        results = (inbox, watcher)
        return inbox
    }
}
