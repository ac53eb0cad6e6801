import Outputs
import Parts
import RPC
import Sessions
import Timers

/// Counts and logs what has become of outputs, and begins an alert about each output that was given up.
final class OutputOutcomes {
    /// The counts of each line.
    private(set) var counts = OutputCounts()
    private let alerts: AlertBoard
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    init(_ alerts: AlertBoard) { self.alerts = alerts }

    /// Counts for these lines from now on. `targets` are the names of the targets of the lines before.
    func reload(_ lines: [OutputLine], targets: [UInt64: String]) {
        counts.replace(with: lines, targets: targets)
    }

    func attemptFailed(_ why: String, of line: UInt64) { counts[line]?.recordFailedAttempt(why) }

    func countWithheld(_ line: UInt64) { counts[line]?.countWithheld() }

    /// Counts and logs an output that is finished. `now` is the time of its sessions. Returns the alert that has begun, which the
    /// output's record in the journal gets; nil if none has begun or no journal has a record of the output.
    func report(_ finished: OutputQueue<OutputMessage>.Finished, at now: Instant)
        -> DeliveryRecord.Alert?
    {
        let output = finished.output
        switch finished.outcome {
        case .delivered: counts[output.line]?.countDelivered()
        case .withheld:
            countWithheld(output.line)
            log.write(
                .info, .output,
                "\(output.content.destination): \(finished.why); "
                    + "not sent: \(output.content.content?.summary ?? "")")
        // A finished output is never `started`, `accepted` or `acknowledged`.
        case .givenUp, .started, .accepted, .acknowledged:
            counts[output.line]?.recordGivenUp(
                output.id, finished.why, atMs: Int(now.milliseconds))
            log.write(
                .warning, .output,
                "\(output.content.destination): an output is given up: \(finished.why)",
                [.reason(finished.why)])
            return beginAlert(output, finished.why)
        }
        return nil
    }

    /// Begins the alert about an output that was given up. An output that an operator has stopped needs no alert. Outputs of
    /// `on refused` get no alert either, because players can cause any number of them.
    private func beginAlert(_ output: Output<OutputMessage>, _ why: String)
        -> DeliveryRecord.Alert?
    {
        guard !output.isMinor, ![Self.lineRemoved, OutputSwitches.off].contains(why),
            !why.hasPrefix(OutputQueue<OutputMessage>.undone)
        else { return nil }
        let subject =
            output.content.content?.summary
            ?? (output.content.effect.isEmpty
                ? "An output" : "The output of \(output.content.effect)")
        let text =
            "\(output.content.destination): \(String(subject.prefix(Self.longestText))) was not sent: \(why)."
        let origin = output.origin
        alerts.beginOutput(
            output.id, to: output.content.destination, text, session: origin?.session,
            line: output.line,
            origin.map {
                AlertBoard.RecordedOutput(journal: output.journal, $0.key, number: $0.number)
            })
        return origin.map {
            DeliveryRecord.Alert(
                id: output.id, target: output.content.destination, text: text, session: $0.session)
        }
    }

    /// Why outputs are given up whose line an operator has removed.
    static let lineRemoved = "its line was removed"
    /// The maximum number of characters of an output's summary in the text of an alert.
    private static let longestText = 200
}
