import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import Sessions
import Shell
import Support
import Timers

/// A state directory in use. This object has the sessions that were restored from the directory, and the `GroupCommit` that
/// writes to the directory. `RunningDaemon` creates the object. With shards, `ShardHost` is used instead.
final class Durability: GroupCommitDelegate {
    let sessions: Sessions
    let groupCommit: GroupCommit
    /// Implements the methods `backup` and `prune`.
    let maintenance: JournalMaintenance
    let store: any Store
    private let loop: LibeventLoop
    /// Removes rows that are older than `--keep` allows.
    private let retention: JournalRetention
    /// The sessions' clock; nil if they have a virtual clock. It fires no timers while the store does not work.
    private let realClock: LoopClock?
    /// Opens the sessions that the daemon opens at its start. Used again if a failure of the store undid their opening.
    private let startSessions: StartSessions
    /// Calls the function that the group commit has passed to `retry`; nil before the first retry.
    private var retryTimer: ScopedCountdown?

    /// Restores the sessions of a journal, and creates their clock. Backups of the journal include the hashes of the tokens of
    /// `authorizer`.
    init(
        _ journal: any RestoredJournal, _ options: Options, _ library: FlowLibrary,
        _ authorizer: Authorizer, on loop: LibeventLoop
    ) throws {
        (self.loop, startSessions) = (loop, StartSessions(options))
        // The clock never shows a time before the end of the last run.
        let clockStart = journal.lastAlive ?? .zero
        realClock =
            options.sessions.isVirtual
            ? nil
            : LoopClock(on: loop, notBefore: clockStart)
        let clock: any TimerClock = realClock ?? VirtualClock(startingAt: clockStart)
        sessions = Sessions(library.catalog, on: clock)
        let lastAlive = journal.lastAlive ?? clock.now
        Self.restore(sessions, journal, lastAlive)
        // Offers recorded versions of the flows whose files have mistakes.
        library.offerRecorded(options)
        sessions.auditsRefusals = options.store.auditsRefusals
        store = try journal.store(on: loop)
        groupCommit = GroupCommit(sessions, in: store, newest: journal.content.newest)
        // `isHeld` is true if the clock may be wrong: no rows are removed until the operator allows it.
        retention = JournalRetention(
            store, groupCommit, on: loop, keeping: options.store.retentionPeriod,
            isHeld: journal.holdsPruning)
        maintenance = JournalMaintenance(
            SingleJournal(groupCommit, retention), journal.temporaryDirectory, authorizer,
            on: loop)
        groupCommit.delegate = self
        sessions.recordStart(
            Self.notes(isVirtual: options.sessions.isVirtual), lastAlive: lastAlive)
        // No restored timer fires before this call. The call fires the timers that became due while no daemon ran, and on a
        // virtual clock those that are due at the restored instant: a pendulum's beat has no row.
        clock.fireDueTimers()
    }

    // MARK: GroupCommitDelegate

    func holdTimers(_ isHeld: Bool) {
        realClock?.isHeld = isHeld
        // Fires at once the timers that became due while they were held, rather than at the next input.
        if !isHeld { realClock?.fireDueTimers() }
    }

    func retry(_ work: @escaping () -> Void) {
        retryTimer = ScopedCountdown(on: loop, .seconds(1), work)
    }

    func report(storageWorks: Bool, _ sentence: String) {
        Log.write(storageWorks ? .warning : .error, sentence)
    }

    func storageIsBack(undone: [Sessions.UndoneOpening]) {
        startSessions.openAgain(in: sessions, undone)
    }

    // MARK: standstills

    /// Continues the timers as after a restart, because the process stood still. A virtual clock knows no standstills.
    func stoodStill() {
        let lastAlive = sessions.now
        realClock?.catchUp()
        sessions.continueAfterStandstill(since: lastAlive, Self.notes(isVirtual: false))
    }

    /// What the row of a start says about the daemon.
    private static func notes(isVirtual: Bool) -> [Member] {
        [Member("version", gamedVersion), Member("clock", isVirtual ? "virtual" : "real")]
    }

    // MARK: the start

    /// Restores the sessions, shows the progress on a terminal, and logs the number of sessions and of rows.
    private static func restore(
        _ sessions: Sessions, _ journal: any RestoredJournal, _ lastAlive: Instant
    ) {
        var progress = Progress("gamed: restoring sessions", of: journal.content.sessions.count)
        let quarantined = sessions.restore(journal.content, lastAlive: lastAlive) {
            progress.show($0)
        }
        progress.end()
        for session in quarantined { session.log() }
        guard journal.rows > 0 else { return }
        let downtime = max(.zero, sessions.now - lastAlive)
        Log.write(
            .info,
            "\(CountText.write(sessions.count, "session")) restored; "
                + "down for \(DurationText.words(downtime)); \(CountText.write(journal.rows, "row")) in \(journal.location)"
        )
    }

    // MARK: the end

    /// Writes the remaining rows, and closes the journal. Then calls `done`.
    func close(_ done: @escaping () -> Void) {
        retention.end()
        groupCommit.end()
        store.close(done)
    }
}
