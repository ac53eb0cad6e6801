internal import CSQLite
internal import EventLoop
public import Journal
internal import Timers

/// Identifies a job with a result, so that the writer's message can name the job; counted from 1.
public typealias JobNumber = Int

/// A job for the writer's thread. For each job, `Store` has a function, whose documentation describes the job in full.
enum JournalJob: Sendable {
    /// Adds a batch. Batches are counted from 1 in the order of these jobs.
    case append([JournalRow])
    /// Reads a page of a session's rows.
    case find(JobNumber, JournalQuery)
    /// Copies the journal, with additional notes.
    case backup(JobNumber, to: String, notes: [String: String])
    /// Reads the next rows after a position.
    case walk(JobNumber, after: Int, limit: Int)
    /// Reads the newest rows of sessions.
    case newest(JobNumber, of: [String])
    /// Reads the next rows after a position that are old enough to be removed. The rows end before the first row whose time is
    /// `before` or later, in nanoseconds.
    case candidates(JobNumber, after: Int, before: Int64, limit: Int)
    /// Removes the rows at these positions.
    case prune(JobNumber, positions: [Int])
    /// Writes a note.
    case setNote(String, String)
    /// Removes a note.
    case removeNote(String)
    /// Writes a high-water mark.
    case mark(HighWaterMark)
}

/// A message from the writer's thread to the store.
public enum JournalMessage: Equatable, Sendable {
    /// The file is open, and rows that a failed commit may have written were removed.
    case opened
    /// All batches up to the number `upTo` are durable. `transactions` counts the transactions since the file was opened.
    case durable(upTo: Int, transactions: Int)
    /// The result of the job with that number, or the error.
    case answered(JobNumber, Result<JournalAnswer, StoreError>)
    /// The writer has ended and the file is closed; no message follows. `upTo` is the number of the newest durable batch. The
    /// outcome is `durable` if the writer was asked to end; else it is the outcome of the later batches, with the reason.
    case ended(upTo: Int, StoreOutcome)
}

/// The result of a job: `page` for `find`, `rows` for `walk`, `pruned` for `prune`. Each other result has the job's name.
public enum JournalAnswer: Equatable, Sendable {
    case page(JournalPage)
    case backup(BackupSummary)
    case rows([JournalRow])
    case newest([NewestRow])
    case candidates([PruneCandidate])
    case pruned
}

/// Executes jobs on the writer's thread. Each call of `execute` gets all jobs that wait, so that the batches among these jobs
/// become one transaction.
struct JournalWorker {
    /// The size in bytes above which the log is moved into the file even while batches arrive.
    private static let busyLogLimit = 64 << 20
    /// The size in bytes above which the log is moved into the file after jobs without a batch.
    private static let idleLogLimit = 4 << 20
    /// The number of rows above which the tail is added to the index, however long the log is.
    private static let tailLimit = 1 << 17

    /// Receives the results, on the store's thread.
    private let messages: ThreadInbox<JournalMessage>
    /// The journal; nil before `begin` and after the end.
    private var file: JournalFile?
    /// Nil if the file of the high-water mark could not be opened; then no mark is written.
    private var markFile: HighWaterMarkFile?
    /// The identities of the journal's files when they were opened; nil for a file that did not exist.
    private var identities: [FileIdentity?] = []
    private var backup: (number: JobNumber, copy: Backup)?
    /// Queries in progress, in the order of their arrival.
    private var searches: [(number: JobNumber, search: JournalSearch)] = []
    private var transactions = 0
    /// The number of the newest durable batch.
    private(set) var lastDurableBatch = 0
    /// The outcome of batches that are not durable yet, with the reason, after the storage has failed; `durable` before.
    private(set) var outcome = StoreOutcome.durable

    init(_ messages: ThreadInbox<JournalMessage>) { self.messages = messages }

    var isOpen: Bool { file != nil }
    /// Whether a backup, a query or the filling of the index is in progress, so that there is work without a further job.
    var isBusy: Bool { backup != nil || !searches.isEmpty || file?.isFillingIndex == true }
    /// How long queries may take between two commits.
    private static let searchTime = Duration.milliseconds(1)
    /// How long rows may be added to the index between two commits; the transaction that stores them takes about as long.
    private static let fillTime = Duration.milliseconds(1)

    /// Sets the files. Must be called once, before `execute`.
    mutating func begin(_ file: JournalFile, _ markFile: HighWaterMarkFile?) throws(SQLiteError) {
        // Now, because it would hold later batches.
        _ = try file.readTail()
        (self.file, self.markFile) = (file, markFile)
        // With the slash at the end.
        let directory = file.path.dropLast(JournalFile.name.count)
        identities = [file.path, "\(file.path)-wal", "\(directory)\(HighWaterMarkFile.name)"].map {
            FileIdentity($0)
        }
    }

    /// Closes the file, because the daemon ends.
    mutating func end() { end(SQLiteError(code: SQLITE_INTERRUPT, "the daemon is ending")) }

    /// Closes the file. The backup and the queries in progress fail with the error.
    private mutating func end(_ error: SQLiteError) {
        if let backup { answer(backup.number, error) }
        for (number, _) in searches { answer(number, error) }
        (backup, searches, file, markFile) = (nil, [], nil, nil)
    }

    /// Ends the work after a failure of the storage: closes the file, and answers unfinished jobs with an error.
    mutating func fail(_ outcome: StoreOutcome) {
        self.outcome = outcome
        end(SQLiteError(code: SQLITE_IOERR, "the storage has failed"))
    }

    /// Executes jobs: first all batches, in one transaction, then the other jobs in order. Then continues the queries, the
    /// backup and the filling of the index for a short time.
    mutating func execute(_ jobs: [JournalJob]) {
        var (rows, batchCount): ([JournalRow], Int) = ([], 0)
        for case .append(let batch) in jobs {
            rows += batch
            batchCount += 1
        }
        if batchCount > 0 { commit(rows, batchCount) }
        // `file` is nil after a failure.
        for job in jobs {
            guard let file else { return }
            execute(job, file)
        }
        if let file { search(file) }
        if let file, backup != nil { continueBackup(file) }
        if let file { shortenLog(file, isIdle: batchCount == 0) }
    }

    /// Stores the rows of the next batches in one transaction.
    private mutating func commit(_ rows: [JournalRow], _ batchCount: Int) {
        guard let file else { return }
        do { try file.append(rows) } catch {
            // The rows may nevertheless be in the file when it is read again.
            return fail(.unknown(why: error.why))
        }
        lastDurableBatch += batchCount
        transactions += 1
        messages.send(.durable(upTo: lastDurableBatch, transactions: transactions))
    }

    private mutating func execute(_ job: JournalJob, _ file: JournalFile) {
        switch job {
        case .append: break  // Was committed before.
        case .find(let number, let query): searches.append((number, JournalSearch(query)))
        case .backup(let number, let path, let notes): startBackup(number, file, to: path, notes)
        case .walk(let number, let after, let limit):
            answer(number) { () throws(SQLiteError) in
                .rows(try file.rows(after: after, limit: limit))
            }
        case .newest(let number, let sessions):
            answer(number) { () throws(SQLiteError) in .newest(try file.newest(of: sessions)) }
        case .candidates(let number, let after, let before, let limit):
            answer(number) { () throws(SQLiteError) in
                .candidates(
                    try file.pruneCandidates(after: after, recordedBefore: before, limit: limit))
            }
        case .setNote(let name, let value):
            change { () throws(SQLiteError) in try file.setNote(name, value) }
        case .removeNote(let name):
            change { () throws(SQLiteError) in try file.removeNote(name) }
        case .prune(let number, let positions): prune(number, positions, file)
        case .mark(let mark):
            checkFiles(file)
            markFile?.write(mark)
        }
    }

    /// Fails if a file of the journal was removed or replaced: its data is lost when the process ends, although every commit
    /// succeeds. Called before each high-water mark is written.
    private mutating func checkFiles(_ file: JournalFile) {
        guard let missing = identities.first(where: { $0?.isInPlace == false }), let missing else {
            return
        }
        fail(.lost(why: "\(missing.path) was removed or replaced by somebody else"))
    }

    /// Removes rows. As with any write, the file is not trusted after a failure.
    private mutating func prune(_ number: JobNumber, _ positions: [Int], _ file: JournalFile) {
        do { try file.prune(positions) } catch {
            answer(number, error)
            return fail(.lost(why: error.why))
        }
        messages.send(.answered(number, .success(.pruned)))
    }

    /// Sends what `work` returns or throws as the result of a job.
    private func answer(_ number: JobNumber, _ work: () throws(SQLiteError) -> JournalAnswer) {
        do throws(SQLiteError) { messages.send(.answered(number, .success(try work()))) } catch {
            answer(number, error)
        }
    }

    /// Sends an error as the result of a job.
    private func answer(_ number: JobNumber, _ error: SQLiteError) {
        messages.send(.answered(number, .failure(StoreError(error))))
    }

    /// Continues the queries in order of arrival, within the time that they may take now.
    private mutating func search(_ file: JournalFile) {
        let deadline = ContinuousClock.now + Self.searchTime
        while !searches.isEmpty, ContinuousClock.now < deadline {
            let number = searches[0].number
            do throws(SQLiteError) {
                let isDone = try searches[0].search.step(in: file) {
                    ContinuousClock.now >= deadline
                }
                guard isDone else { return }
                messages.send(.answered(number, .success(.page(searches[0].search.page))))
            } catch { answer(number, error) }
            searches.removeFirst()
        }
    }

    /// Changes notes. As with any write, the file is not trusted after a failure.
    private mutating func change(_ work: () throws(SQLiteError) -> Void) {
        do throws(SQLiteError) { try work() } catch { fail(.lost(why: error.why)) }
    }

    // MARK: backup

    private mutating func startBackup(
        _ number: JobNumber, _ file: JournalFile, to path: String, _ notes: [String: String]
    ) {
        guard backup == nil else {
            return answer(number, SQLiteError(code: SQLITE_BUSY, "a backup is being made already"))
        }
        do throws(SQLiteError) {
            backup = (number, try Backup(of: file, to: path, notes: notes))
        } catch {
            answer(number, error)
        }
    }

    /// Copies or verifies the next part. Sends the result when the backup is finished or has failed.
    private mutating func continueBackup(_ file: JournalFile) {
        guard let (number, copy) = backup else { return }
        do throws(SQLiteError) {
            guard let summary = try copy.step() else { return }
            messages.send(.answered(number, .success(.backup(summary))))
        } catch { answer(number, error) }
        backup = nil
    }

    /// Moves the log into the file if the log is long. Before that, adds the rows of the tail to the index, a part in each call:
    /// thousands of rows then share the pages of the index that are written. `isIdle` says whether no batch has arrived.
    private mutating func shortenLog(_ file: JournalFile, isIdle: Bool) {
        let isLogLong = file.logBytes > (isIdle ? Self.idleLogLimit : Self.busyLogLimit)
        let isTailLong = file.tail.map { $0.count > Self.tailLimit } ?? false
        guard backup == nil, file.isFillingIndex || isLogLong || isTailLong else { return }
        let deadline = ContinuousClock.now + Self.fillTime
        do {
            let isFilled = try file.fillIndex { ContinuousClock.now >= deadline }
            if isFilled, isLogLong { try file.checkpoint() }
        } catch { fail(.lost(why: error.why)) }
    }
}
