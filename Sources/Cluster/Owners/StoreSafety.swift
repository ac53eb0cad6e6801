package import EventLoop
import Parts
import PostgresStore
import Timers

/// Watches whether the database may lose acknowledged changes, and warns of it. The start of a node refuses such a database; a node
/// that runs goes on, because its clients would otherwise get no answer from any node.
package final class StoreSafety {
    /// Why the database may lose acknowledged changes; empty if it does not, as far as is known.
    package private(set) var weaknesses: [String] = []
    /// Whether the operator accepts such a database (`--accept-weak-store`). It is then not reported.
    package var isAccepted: Bool
    private let leases: ShardLeases
    private var timer = Ticker()
    /// The time between two looks, and the number of looks after which the warning is written again.
    private static let interval = Duration.seconds(10)
    private static let looksPerReminder = 60
    private var looksSinceWarning = 0

    package init(_ leases: ShardLeases, isAccepted: Bool, on loop: LibeventLoop) {
        (self.leases, self.isAccepted) = (leases, isAccepted)
        timer.start(on: loop, Self.interval) { [unowned self] _ in look() }
        look()
    }

    private func look() {
        leases.readWeaknesses { [weak self] result in
            // While the database cannot be read, nothing new is known.
            guard let self, case .success(let found) = result else { return }
            report(found)
        }
    }

    private func report(_ found: [String]) {
        looksSinceWarning += 1
        let isNew = exchange(&weaknesses, with: found) != found
        if found.isEmpty {
            if isNew {
                Log.write(.warning, .storage, "the database is safe for acknowledged changes again")
            }
            return
        }
        guard !isAccepted, isNew || looksSinceWarning >= Self.looksPerReminder else { return }
        looksSinceWarning = 0
        Log.write(
            .error, .storage,
            "THE DATABASE MAY LOSE ACKNOWLEDGED CHANGES: \(found.joined(separator: "; ")). This node goes on; "
                + "a start is refused until the cause is corrected or --accept-weak-store is given")
    }
}
