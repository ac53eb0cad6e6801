import EventLoop
import GameFlow
import Journal
import Keeping
import Sessions
import Shell
import Timers

/// A state directory at work: what was restored from it, and what keeps it.
final class Durability {
    let sessions: Sessions
    let keeper: Keeper
    let maintenance: JournalMaintenance
    private let store: any Store
    private let loop: LibeventLoop
    private let upkeep: Upkeep
    private var retry: ScopedCountdown?
    private let lock: DirectoryLock

    /// Goes on from what a directory holds, on a clock of its own.
    init(_ directory: StateDirectory, _ options: Options, _ flows: [AnyFlow], on loop: LibeventLoop)
        throws
    {
        self.loop = loop
        let start = directory.lastSign ?? .zero
        let clock = options.isVirtual ? nil : LoopClock(on: loop, notBefore: start)
        let timeline: any TimerClock = clock ?? VirtualClock(startingAt: start)
        sessions = Sessions(flows, on: timeline)
        let lastSign = directory.lastSign ?? timeline.now
        Self.restore(sessions, directory, lastSign)
        sessions.auditsRefusals = options.auditsRefusals
        store = try SQLiteStore(directory.path, on: loop)
        keeper = Keeper(sessions, in: store, newest: directory.written.newest)
        lock = directory.lock
        upkeep = Upkeep(
            store, keeper, on: loop, keeping: options.keep, isHeld: directory.holdsPruning)
        maintenance = JournalMaintenance(keeper, upkeep, directory.path, on: loop)
        keeper.hold = { isHeld in
            clock?.isHeld = isHeld
            // What has become due meanwhile has its turn now, and not only when something else happens.
            if !isHeld { clock?.settle() }
        }
        keeper.told = { Log.write($0 ? .warning : .error, $1) }
        keeper.later = { [unowned self] work in
            retry = ScopedCountdown(on: self.loop, .seconds(1), work)
        }
        sessions.recordStart(
            [
                Member("version", gamedVersion),
                Member("clock", options.isVirtual ? "virtual" : "real"),
            ], lastSign: lastSign)
        clock?.settle()
    }

    private static func restore(
        _ sessions: Sessions, _ directory: StateDirectory, _ lastSign: Instant
    ) {
        var progress = Progress("gamed: restoring sessions", of: directory.written.sessions.count)
        let quarantined = sessions.restore(directory.written, lastSign: lastSign) {
            progress.show($0)
        }
        progress.end()
        for one in quarantined {
            Log.write(
                .error,
                "session \(one.session.text) is quarantined: \(one.why); `gamectl close @\(one.session.text)` "
                    + "gives it up; its rows are kept, see `gamectl journal export`")
        }
        guard directory.rows > 0 else { return }
        let down = max(.zero, sessions.now - lastSign)
        Log.write(
            .info,
            "\(sessions.count) \(sessions.count == 1 ? "session" : "sessions") restored; down for \(down.milliseconds / 1000) s; "
                + "\(directory.rows) rows in \(directory.path)")
    }

    /// Writes what there still is, and closes the journal.
    func close(_ done: @escaping () -> Void) {
        upkeep.end()
        keeper.end()
        store.close(done)
    }
}
