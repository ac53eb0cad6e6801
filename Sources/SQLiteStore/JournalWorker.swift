internal import CSQLite
internal import EventLoop
public import Journal
internal import Timers

/// A job for the writer's thread. A job with a result is identified by a number, counted from 1, which is its first value.
enum JournalJob: Sendable {
    /// A batch, with the next batch number.
    case append([JournalRow])
    /// A page of a session's rows.
    case find(Int, JournalQuery)
    /// A backup of the journal.
    case backup(Int, to: String, notes: [String: String])
    /// The next rows after a position.
    case walk(Int, after: Int, limit: Int)
    /// The newest rows of sessions.
    case newest(Int, of: [String])
    /// The next rows after a position that are old enough to be removed: their times, in nanoseconds, are before `before`.
    case candidates(Int, after: Int, before: Int64, limit: Int)
    /// Removes these rows.
    case prune(Int, [Int])
    /// Removes a note.
    case removeNote(String)
    /// Writes a high-water mark.
    case mark(HighWaterMark)
}

/// A message from the writer.
public enum JournalMessage: Equatable, Sendable {
    /// The file is open, and rows that a failed commit may have written were removed.
    case opened
    /// All batches up to the number `upTo` are durable. `transactions` counts the transactions since the file was opened.
    case durable(upTo: Int, transactions: Int)
    /// The result of the query with that number, or the error.
    case answered(Int, Result<JournalAnswer, StoreError>)
    /// The writer has ended and the file is closed; no message follows. If it was not asked to end,
    /// the outcome has the reason, and the batches after `upTo` were not stored.
    case ended(upTo: Int, StoreOutcome)
}

/// The result of a job.
public enum JournalAnswer: Equatable, Sendable {
    case page(JournalPage)
    case backup(BackupSummary)
    case rows([JournalRow])
    case newest([NewestRow])
    case candidates([PruneCandidate])
    case pruned
}

/// Executes jobs on the writer's thread. Each call of `execute` gets all jobs that wait, so that their batches become one
/// transaction.
struct JournalWorker {
    /// The size in bytes above which the log is moved into the file even while batches arrive.
    static let longLog = 64 << 20
    /// The size in bytes above which the log is moved into the file after jobs without a batch.
    static let idleLog = 4 << 20

    /// Receives the results, on the store's thread.
    private let messages: ThreadInbox<JournalMessage>
    private var file: JournalFile?
    private var mark: HighWaterMarkFile?
    /// The identities of the journal's files when they were opened.
    private var identities: [FileIdentity?] = []
    private var backup: (number: Int, copy: Backup)?
    /// Queries in progress, in the order of their arrival.
    private var searches: [(number: Int, search: JournalSearch)] = []
    private var transactions = 0
    /// The number of the newest durable batch.
    private(set) var lastDurableBatch = 0
    /// The failure of the storage; `durable` until the storage fails.
    private(set) var outcome = StoreOutcome.durable

    init(_ messages: ThreadInbox<JournalMessage>) { self.messages = messages }

    var isOpen: Bool { file != nil }
    /// Whether a backup or a query is in progress, so that there is work without a further job.
    var isBusy: Bool { backup != nil || !searches.isEmpty }
    /// How long queries may take between two commits.
    private static let searchTime = Duration.milliseconds(1)

    mutating func begin(_ file: JournalFile, _ mark: HighWaterMarkFile?) {
        (self.file, self.mark) = (file, mark)
        let directory = file.path.dropLast(JournalFile.name.count)
        identities = [file.path, "\(file.path)-wal", "\(directory)\(HighWaterMarkFile.name)"].map {
            FileIdentity($0)
        }
    }

    /// Closes the file, because the daemon ends.
    mutating func end() { end(SQLiteError(code: SQLITE_INTERRUPT, "the daemon is ending")) }

    /// Closes the file. The backup and the queries in progress fail with the error `why`.
    private mutating func end(_ why: SQLiteError) {
        if let backup { answer(backup.number, why) }
        for (number, _) in searches { answer(number, why) }
        (backup, searches, file, mark) = (nil, [], nil, nil)
    }

    /// Ends the work after a failure of the storage: closes the file, and answers unfinished jobs with an error.
    mutating func fail(_ outcome: StoreOutcome) {
        self.outcome = outcome
        end(SQLiteError(code: SQLITE_IOERR, "the storage has failed"))
    }

    /// Executes jobs: first all batches, in one transaction, then the other jobs in order. Then continues the queries and the
    /// backup for a short time.
    mutating func execute(_ jobs: [JournalJob]) {
        var (rows, batches): ([JournalRow], Int) = ([], 0)
        for case .append(let batch) in jobs {
            rows += batch
            batches += 1
        }
        if batches > 0 { commit(rows, batches) }
        for job in jobs {
            guard let file else { return }
            execute(job, file)
        }
        if let file { search(file) }
        if let file, backup != nil { continueBackup(file) }
        if let file { shortenLog(file, isIdle: batches == 0) }
    }

    private mutating func commit(_ rows: [JournalRow], _ batches: Int) {
        guard let file else { return }
        do { try file.append(rows) } catch {
            // The rows may nevertheless be in the file when it is read again.
            return fail(.unknown(why: error.why))
        }
        lastDurableBatch += batches
        transactions += 1
        messages.send(.durable(upTo: lastDurableBatch, transactions: transactions))
    }

    private mutating func execute(_ job: JournalJob, _ file: JournalFile) {
        switch job {
        case .append: break
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
        case .removeNote(let name): removeNote(name, file)
        case .prune(let number, let positions): prune(number, positions, file)
        case .mark(let mark):
            checkFiles(file)
            self.mark?.write(mark)
        }
    }

    /// Detects a file of the journal that was removed or replaced. Data that is written to it is lost when the process ends,
    /// so this is a failure of the storage although every commit succeeds. Called before each high-water mark is written.
    private mutating func checkFiles(_ file: JournalFile) {
        guard let missing = identities.first(where: { $0?.isInPlace == false }), let missing else {
            return
        }
        fail(.lost(why: "\(missing.path) was removed or replaced by somebody else"))
    }

    /// Removes rows. As with any write, the file is not trusted after a failure.
    private mutating func prune(_ number: Int, _ positions: [Int], _ file: JournalFile) {
        do { try file.prune(positions) } catch {
            answer(number, error)
            return fail(.lost(why: error.why))
        }
        messages.send(.answered(number, .success(.pruned)))
    }

    private func answer(_ number: Int, _ work: () throws(SQLiteError) -> JournalAnswer) {
        do throws(SQLiteError) { messages.send(.answered(number, .success(try work()))) } catch {
            answer(number, error)
        }
    }

    private func answer(_ number: Int, _ error: SQLiteError) {
        messages.send(.answered(number, .failure(StoreError(error))))
    }

    /// Continues the queries in order of arrival, within the time that they may take now.
    private mutating func search(_ file: JournalFile) {
        let end = ContinuousClock.now + Self.searchTime
        while !searches.isEmpty, ContinuousClock.now < end {
            let number = searches[0].number
            do throws(SQLiteError) {
                let isDone = try searches[0].search.step(in: file) { ContinuousClock.now >= end }
                guard isDone else { return }
                messages.send(.answered(number, .success(.page(searches[0].search.page))))
            } catch { answer(number, error) }
            searches.removeFirst()
        }
    }

    private mutating func removeNote(_ name: String, _ file: JournalFile) {
        do { try file.removeNote(name) } catch { fail(.lost(why: error.why)) }
    }

    // MARK: backup

    private mutating func startBackup(
        _ number: Int, _ file: JournalFile, to path: String, _ notes: [String: String]
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

    private mutating func continueBackup(_ file: JournalFile) {
        guard let (number, copy) = backup else { return }
        do throws(SQLiteError) {
            guard let info = try copy.step() else { return }
            messages.send(.answered(number, .success(.backup(info))))
        } catch { answer(number, error) }
        backup = nil
    }

    /// Moves the log into the file if the log is long. `isIdle` says whether no batch has arrived.
    private mutating func shortenLog(_ file: JournalFile, isIdle: Bool) {
        guard backup == nil, file.logBytes > (isIdle ? Self.idleLog : Self.longLog) else { return }
        do { try file.checkpoint() } catch { fail(.lost(why: error.why)) }
    }
}
