import Durability
import EventLoop
import GameFlow
import Journal
import Outputs
import Sessions
import Support
import Timers

/// Finds the outputs that an earlier start of the daemon has left: reads the newest rows of the journal, and applies the
/// lines to their changes that have no record of a delivery.
final class OutputRecovery {
    private let store: any Store
    private let sessions: Sessions
    private let times: RowTimes
    /// The position of the newest row that the outputs have not seen as it was written.
    private let last: Int
    /// Until when the earlier start is known to have run.
    private let lastAlive: Instant
    private let clock: any TimerClock
    /// Whether ages can be compared with the present time.
    private let isRealTime: Bool
    /// Whether a failed read is repeated: a database comes back. The outputs of new changes wait until then.
    private let retries: Bool
    /// Since when the configuration has the line whose text has this number.
    private let lineBegan: (UInt64) -> Instant

    private var backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))
    private var pause: ScopedCountdown?
    private var lastFault: String?

    private static let rowsPerPage = 1000
    /// An output that is older than its maximal age by less than this is still reported as given up: the disk or the whole
    /// machine may have stood still before the end.
    private static let margin = Duration.seconds(60)

    /// An output that was left, and why it cannot be sent any more; nil if it can.
    typealias Left = (output: Output<OutputMessage>, obstacle: String?)

    init(
        _ store: any Store, _ sessions: Sessions, _ times: RowTimes, upTo last: Int,
        lastAlive: Instant, isRealTime: Bool, retries: Bool = false, on clock: any TimerClock,
        lineBegan: @escaping (UInt64) -> Instant = { _ in .zero }
    ) {
        self.lineBegan = lineBegan
        (self.store, self.sessions, self.times, self.last) = (store, sessions, times, last)
        (self.lastAlive, self.isRealTime, self.clock) = (lastAlive, isRealTime, clock)
        self.retries = retries
    }

    /// Reads the rows that may matter, and calls `done` once, in a later turn of the loop, with the outputs that were left,
    /// in the order of their changes. If the store fails, nothing is found; with `retries` it reads again after a
    /// pause, until it succeeds or is released.
    ///
    /// Sends to other sessions have no maximal age; those of the last hour are found. A line is not applied to changes that
    /// are older than it.
    func read(_ composer: OutputComposer, _ done: @escaping ([Left]) -> Void) {
        var longest = composer.lines.map(\.maxAge).max() ?? .zero
        if composer.hasSends { longest = max(longest, .seconds(RowTimes.seconds)) }
        longest += Self.margin
        let start = max(.zero, lastAlive + .nanoseconds(-longest.nanoseconds))
        var found = LeftOutputs { [lineBegan] change, flow, labels in
            composer.outputs(of: change, flow: flow, labels: labels).filter {
                change.at >= lineBegan($0.line)
            }
        } accepted: { [sessions] accepted in
            composer.output(
                ofStuck: Self.occasion(of: accepted, sessions), acceptedIn: accepted.record)
        }
        var reader = RecordReader()
        store.readPages(
            after: times.position(before: start), upTo: last, limit: Self.rowsPerPage
        ) { rows in
            for row in rows where row.atNs >= start.nanoseconds {
                if let record = reader.record(ifUndamaged: row) { found.take(record) }
            }
            return true
        } _: { [weak self] error in
            guard let self else { return }
            guard let error else { return done(left(found)) }
            if retries { return retry(error) { [weak self] in self?.read(composer, done) } }
            Log.write(
                .error, "the outputs of the last start are not known: the journal cannot be read")
            done([])
        }
    }

    private func retry(_ error: StoreError, _ read: @escaping () -> Void) {
        if exchange(&lastFault, with: error.why) != error.why {
            Log.write(
                .error, "the outputs of the last owner are not known yet: \(error.why)")
        }
        pause = ScopedCountdown(on: clock, backoff.fail(), read)
    }

    /// A session that was stuck, as it was when its entry ended, or as it is now; nil if it could not be restored.
    private static func occasion(
        of accepted: LeftOutputs<OutputMessage>.Accepted, _ sessions: Sessions
    ) -> OutputOccasion? {
        let entry = accepted.record.key.pos
        if let end = accepted.end {
            return OutputOccasion(stuckAt: accepted.at, in: entry, until: end)
        }
        guard let status = (try? sessions.session(accepted.session))?.status, status.entry == entry
        else { return nil }
        return OutputOccasion(.stuck, status, pos: sessions.pos)
    }

    private func left(_ found: LeftOutputs<OutputMessage>) -> [Left] {
        found.fates(isRealTime: isRealTime).map { fate in
            switch fate {
            case .giveUp(let output, let why): return (output, why)
            case .send(let output, let at):
                // On the loop's clock, which may differ from that of the sessions.
                let age = max(.zero, sessions.now - at)
                let made = clock.timerQueue.now + .nanoseconds(-age.nanoseconds)
                return (output.made(at: made, isCommitted: true), nil)
            }
        }
    }
}
