import Glibc
package import PostgresStore
package import Timers

/// The figures of a journal in a database. Each node reads the same figures, over the connection that also writes the rows. The
/// database is asked only when somebody reads the figures, and seldom: a reader gets the figures of the reading before.
package final class DatabaseFigures: JournalFigureSource {
    /// Figures of this age are read again.
    package static let longestAge = Duration.seconds(10)

    private let store: PostgresStore
    private let clock: any TimerClock
    /// The newest figures; nil until the database has answered for the first time.
    private var newest: JournalFigures?
    /// When the newest figures arrived; nil before the first.
    private var newestAt: Instant?
    /// Whether the database's answer is awaited.
    private var isAsking = false

    package init(_ store: PostgresStore, on clock: any TimerClock) {
        (self.store, self.clock) = (store, clock)
    }

    package var figures: JournalFigures? {
        if !isAsking, newestAt.map({ clock.now - $0 >= Self.longestAge }) ?? true { ask() }
        return newest
    }

    private func ask() {
        isAsking = true
        store.readFigures { [weak self] stored in
            guard let self else { return }
            isAsking = false
            guard let stored else { return }
            newestAt = clock.now
            newest = JournalFigures(
                rows: stored.rows, bytes: stored.bytes, lastBackup: stored.lastBackup)
        }
    }

    /// Records the time in the database, where the other nodes read it.
    package func noteBackup() {
        let seconds = time(nil)
        store.noteBackup(at: seconds)
        newest = newest.map {
            JournalFigures(rows: $0.rows, bytes: $0.bytes, lastBackup: seconds)
        }
    }
}
