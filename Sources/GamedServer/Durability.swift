import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import Sessions
import Shell
import Timers

/// A state directory in use: the sessions restored from it, and the `GroupCommit` that writes to
/// it.
final class Durability: GroupCommitDelegate {
    let sessions: Sessions
    let groupCommit: GroupCommit
    let maintenance: JournalMaintenance
    let store: any Store
    private let loop: LibeventLoop
    private let retention: JournalRetention
    /// The sessions' clock, which is stopped while the storage has failed; nil if it is virtual.
    private let realClock: LoopClock?
    private let startSessions: StartSessions
    /// Retries work of the group commit after a pause.
    private var retryTimer: ScopedCountdown?

    /// Restores the sessions of a journal, and creates their clock. Backups of the journal include the hashes of the tokens of
    /// `authorizer`.
    init(
        _ directory: any RestoredJournal, _ options: Options, _ library: FlowLibrary,
        _ authorizer: Authorizer, on loop: LibeventLoop
    ) throws {
        (self.loop, startSessions) = (loop, StartSessions(options))
        let start = directory.lastAlive ?? .zero
        realClock =
            options.isVirtual
            ? nil
            : LoopClock(on: loop, notBefore: start)
        let clock: any TimerClock = realClock ?? VirtualClock(startingAt: start)
        sessions = Sessions(library.catalog, on: clock)
        let lastAlive = directory.lastAlive ?? clock.now
        Self.restore(sessions, directory, lastAlive)
        library.offerRecorded(options)
        sessions.auditsRefusals = options.auditsRefusals
        store = try directory.store(on: loop)
        groupCommit = GroupCommit(sessions, in: store, newest: directory.content.newest)
        retention = JournalRetention(
            store, groupCommit, on: loop, keeping: options.keep, isHeld: directory.holdsPruning)
        maintenance = JournalMaintenance(
            SingleJournal(groupCommit, retention), directory.temporaryDirectory, authorizer,
            on: loop)
        groupCommit.delegate = self
        sessions.recordStart(
            [
                Member("version", gamedVersion),
                Member("clock", options.isVirtual ? "virtual" : "real"),
            ], lastAlive: lastAlive)
        realClock?.fireDueTimers()
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

    // MARK: the start

    private static func restore(
        _ sessions: Sessions, _ directory: any RestoredJournal, _ lastAlive: Instant
    ) {
        var progress = Progress("gamed: restoring sessions", of: directory.content.sessions.count)
        let quarantined = sessions.restore(directory.content, lastAlive: lastAlive) {
            progress.show($0)
        }
        progress.end()
        for session in quarantined { session.log() }
        guard directory.rows > 0 else { return }
        let downtime = max(.zero, sessions.now - lastAlive)
        Log.write(
            .info,
            "\(sessions.count) \(sessions.count == 1 ? "session" : "sessions") restored; down for \(downtime.milliseconds / 1000) s; "
                + "\(directory.rows) rows in \(directory.location)")
    }

    /// Writes the remaining rows, and closes the journal.
    func close(_ done: @escaping () -> Void) {
        retention.end()
        groupCommit.end()
        store.close(done)
    }
}
