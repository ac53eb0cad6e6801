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
    /// The newest figures, and when they arrived; nil until the database has answered for the first time.
    private var newest: (figures: JournalFigures, at: Instant)?
    /// Whether the database's answer is awaited.
    private var isAsking = false

    package init(_ store: PostgresStore, on clock: any TimerClock) {
        (self.store, self.clock) = (store, clock)
    }

    package var figures: JournalFigures? {
        if !isAsking, newest.map({ clock.now - $0.at >= Self.longestAge }) ?? true { ask() }
        return newest?.figures
    }

    private func ask() {
        isAsking = true
        store.readFigures { [weak self] stored in
            guard let self else { return }
            isAsking = false
            guard let stored else { return }
            let figures = JournalFigures(
                rows: stored.rows, bytes: stored.bytes, lastBackup: stored.lastBackup)
            newest = (figures, clock.now)
        }
    }

    /// Records the time in the database, where the other nodes read it.
    package func noteBackup() {
        let seconds = time(nil)
        store.noteBackup(at: seconds)
        newest?.figures.lastBackup = seconds
    }
}
