import Durability
import EventLoop
import GameFlow
import Journal
import Outputs
import Sessions
import Timers

/// Finds the outputs that an earlier start of the daemon has left: reads the newest rows of the journal, and applies the
/// lines to their changes that have no record of a delivery.
final class OutputRecovery {
    private let store: any Store
    private let sessions: Sessions
    private let times: RowTimes
    /// The position of the newest row of the earlier start.
    private let last: Int
    /// Until when the earlier start is known to have run.
    private let lastAlive: Instant
    private let clock: any TimerClock
    /// Whether ages can be compared with the present time.
    private let isRealTime: Bool

    private static let rowsPerPage = 1000

    /// What was found.
    struct Found {
        /// The outputs to send, in the order of their changes, with the instants of their commits.
        var outputs: [Output<OutputMessage>] = []
        /// The outputs that cannot be sent any more.
        var givenUp: [GivenUp] = []

        struct GivenUp {
            let output: Output<OutputMessage>
            let why: String
        }
    }

    init(
        _ store: any Store, _ sessions: Sessions, _ times: RowTimes, upTo last: Int,
        lastAlive: Instant, isRealTime: Bool, on clock: any TimerClock
    ) {
        (self.store, self.sessions, self.times, self.last) = (store, sessions, times, last)
        (self.lastAlive, self.isRealTime, self.clock) = (lastAlive, isRealTime, clock)
    }

    /// Reads the rows that may matter, and calls `done` once, in a later turn of the loop. Without rows, or if the store
    /// fails, nothing is found.
    func read(_ composer: OutputComposer, _ done: @escaping (Found) -> Void) {
        let longest = composer.lines.map(\.maxAge).max() ?? .zero
        let start = times.position(before: lastAlive + .nanoseconds(-longest.nanoseconds))
        let reading = Reading(composer)
        read(reading, after: start, since: lastAlive + .nanoseconds(-longest.nanoseconds), done)
    }

    private func read(
        _ reading: Reading, after position: Int, since instant: Instant,
        _ done: @escaping (Found) -> Void
    ) {
        store.walk(after: position, limit: Self.rowsPerPage) { [self] result in
            guard case .success(let rows) = result else {
                Log.write(
                    .error,
                    "the outputs of the last start are not known: the journal cannot be read")
                return done(Found())
            }
            for row in rows where row.position <= last && row.atNs >= instant.nanoseconds {
                reading.take(row, sessions)
            }
            guard let newest = rows.last, newest.position < last else {
                return done(found(reading))
            }
            read(reading, after: max(position + 1, newest.position), since: instant, done)
        }
    }

    private func found(_ reading: Reading) -> Found {
        var found = Found()
        for (output, at) in reading.left {
            if let why = reading.obstacle(to: output, isRealTime: isRealTime) {
                found.givenUp.append(Found.GivenUp(output: output, why: why))
            } else {
                // On the loop's clock, which may differ from that of the sessions.
                let age = max(.zero, sessions.now - at)
                let committed = clock.timerQueue.now + .nanoseconds(-age.nanoseconds)
                found.outputs.append(output.committed(at: committed))
            }
        }
        return found
    }

    /// What was read so far.
    private final class Reading {
        private let composer: OutputComposer
        private var outputs: [(output: Output<OutputMessage>, at: Instant)] = []
        private var records: [DeliveryRecord.Key: DeliveryRecord.Outcome] = [:]
        private var undone: Set<DeliveryRecord.Key> = []

        init(_ composer: OutputComposer) { self.composer = composer }

        func take(_ row: JournalRow, _ sessions: Sessions) {
            guard row.flaw == nil, let record = try? row.record() else { return }
            if case .deliveries(let deliveries) = record.body {
                for delivery in deliveries { records[delivery.key] = delivery.outcome }
            }
            guard case .change(let changed) = record.body,
                let change = record.change(hiding: nil)
            else { return }
            if case .undo(let from, let to) = change.order { undo(change.session, from, to) }
            let found = composer.outputs(
                of: change, flow: changed.status.flow, labels: changed.status.labels)
            outputs += found.map { ($0, record.at) }
        }

        private func undo(_ session: SessionName, _ from: Int, _ to: Int) {
            for (output, _) in outputs {
                guard let origin = output.origin, origin.session == session,
                    origin.seq >= from, origin.seq <= to
                else { continue }
                undone.insert(origin.key)
            }
        }

        /// The outputs without a record of their end, with the instants of their changes.
        var left: [(output: Output<OutputMessage>, at: Instant)] {
            outputs.filter { output, _ in
                guard let key = output.origin?.key else { return false }
                return records[key] == nil || records[key] == .started
            }
        }

        /// Why an output is not sent; nil if it is.
        func obstacle(to output: Output<OutputMessage>, isRealTime: Bool) -> String? {
            guard let key = output.origin?.key else { return nil }
            if records[key] == .started {
                return "the daemon ended while it was sent; it may have arrived"
            }
            if undone.contains(key) { return "its change was undone" }
            return isRealTime ? nil : "its age is not known: the clock is virtual"
        }
    }
}
