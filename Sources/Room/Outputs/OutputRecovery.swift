package import Durability
import EventLoop
import GameFlow
package import Journal
package import Outputs
import Parts
package import Sessions
import Support
package import Timers

/// Finds the outputs that an earlier run of the daemon, or an earlier owner of the shard, has not sent. It reads the newest
/// rows of the journal, applies the `on` lines to the changes, and leaves out the outputs whose delivery has ended.
package final class OutputRecovery {
    /// The journal's store.
    private let store: any Store
    private let sessions: Sessions
    /// The times of the rows of the last hour, from which the first row to read is determined.
    private let times: RowTimes
    /// The position of the newest row to read. Later changes are not read here, because `RoomOutputs` is notified of them.
    private let lastRow: Int
    /// The latest time at which the earlier run of the daemon, or the earlier owner, is known to have been active, on the
    /// sessions' clock.
    private let lastAlive: Instant
    /// The clock of the event loop.
    private let clock: any TimerClock
    /// Whether the sessions use the real clock. Only then are the ages of outputs known.
    private let isRealTime: Bool
    /// Whether a failed read is repeated, because a database can become reachable again. The outputs of new changes wait until
    /// the read succeeds.
    private let retriesFailedReads: Bool
    /// Returns the time at which an `on` line began to apply. `line` is the line's fingerprint, a hash of the line's text.
    private let lineStartTime: (_ line: UInt64) -> Instant

    /// The pause before a failed read is repeated. The pause doubles with each failure, up to the longest pause.
    private var backoff = Backoff(first: .milliseconds(100), longest: .seconds(5), spread: .random)
    /// The timer that repeats the read.
    private var pause = Alarm()
    /// Why the last read failed.
    private var reportedReason = ReportedReason()

    /// Outputs that have exceeded their maximum age by less than this margin are found too, and reported as given up. The
    /// earlier run could not report them if the disk or the whole machine stood still before the run ended.
    private static let ageMargin = Duration.seconds(60)

    /// An output that was not sent. `whyGivenUp` is nil if it can still be sent.
    package typealias RecoveredOutput = (output: Output<OutputMessage>, whyGivenUp: String?)

    package init(
        _ store: any Store, _ sessions: Sessions, _ times: RowTimes, upTo last: Int,
        lastAlive: Instant, isRealTime: Bool, retriesFailedReads: Bool = false,
        on clock: any TimerClock,
        lineStartTime: @escaping (_ line: UInt64) -> Instant = { _ in .zero }
    ) {
        self.lineStartTime = lineStartTime
        (self.store, self.sessions, self.times, lastRow) = (store, sessions, times, last)
        (self.lastAlive, self.isRealTime, self.clock) = (lastAlive, isRealTime, clock)
        self.retriesFailedReads = retriesFailedReads
    }

    /// Reads the newest rows. Calls `done` once, in a later turn of the loop, with the outputs that were not sent. They are in
    /// the order of their changes. If the store fails, `done` gets an empty list. But if `retriesFailedReads` is true, the read
    /// is repeated after a pause, until it succeeds or this object is released.
    ///
    /// An output that is a step of another session, called a send, has no maximum age. Of these outputs, those of the last
    /// hour are found. A line is not applied to changes that are older than the line.
    package func read(_ composer: OutputComposer, _ done: @escaping ([RecoveredOutput]) -> Void) {
        var longestAge = composer.lines.map(\.maxAge).max() ?? .zero
        if composer.hasSends { longestAge = max(longestAge, .seconds(RowTimes.rememberedSeconds)) }
        longestAge += Self.ageMargin
        let earliestTime = max(.zero, lastAlive + .nanoseconds(-longestAge.nanoseconds))
        var unsentOutputs = UnsentOutputs { [lineStartTime] change, flow, labels in
            composer.outputs(of: change, flow: flow, labels: labels).filter {
                change.at >= lineStartTime($0.line)
            }
        } accepted: { [sessions] accepted in
            // An output about a stuck session: no change asks for it, so the journal records that it was accepted.
            composer.output(
                ofStuck: Self.occasion(of: accepted, sessions), acceptedIn: accepted.record)
        }
        var reader = RecordReader()
        store.readPages(
            after: times.position(before: earliestTime), upTo: lastRow
        ) { rows in
            for row in rows where row.atNs >= earliestTime.nanoseconds {
                if let record = reader.record(ifUndamaged: row) { unsentOutputs.add(record) }
            }
            return true  // Reads the next page.
        } _: { [weak self] error in
            guard let self else { return }
            guard let error else { return done(recoveredOutputs(unsentOutputs)) }
            if retriesFailedReads {
                return retry(error) { [weak self] in self?.read(composer, done) }
            }
            Log.write(
                .error, .output,
                "the outputs of the previous start are not known: the journal cannot be read")
            done([])
        }
    }

    /// Calls `read` after a pause, and logs the error unless it is the same as before.
    private func retry(_ error: StoreError, _ read: @escaping () -> Void) {
        if reportedReason.isNew(error.why) {
            Log.write(
                .error, .output, "the outputs of the previous owner are not known yet: \(error.why)"
            )
        }
        pause.set(on: clock, backoff.fail(), read)
    }

    /// The occasion of an output about a stuck session: as the session was when it left the state, or as it is now. Nil if the
    /// session could not be restored.
    private static func occasion(
        of accepted: UnsentOutputs<OutputMessage>.Accepted, _ sessions: Sessions
    ) -> OutputOccasion? {
        // The key of an output about a stuck session contains the number of the entry.
        let entry = accepted.record.key.pos
        if let end = accepted.end {
            return OutputOccasion(stuckAt: accepted.acceptedAt, in: entry, until: end)
        }
        guard let status = (try? sessions.session(accepted.session))?.status, status.entry == entry
        else { return nil }
        return OutputOccasion(.stuck, status)
    }

    /// The outputs that were found, each with the reason if it is given up instead of sent.
    private func recoveredOutputs(_ unsentOutputs: UnsentOutputs<OutputMessage>)
        -> [RecoveredOutput]
    {
        unsentOutputs.decisions(isRealTime: isRealTime).map { decision in
            switch decision {
            case .giveUp(let output, let why): return (output, why)
            case .send(let output, let at):
                // `madeAt` is on the loop's clock, which may differ from the sessions' clock.
                let age = max(.zero, sessions.now - at)
                let madeAt = clock.timerQueue.now + .nanoseconds(-age.nanoseconds)
                return (output.made(at: madeAt, isCommitted: true), nil)
            }
        }
    }
}
