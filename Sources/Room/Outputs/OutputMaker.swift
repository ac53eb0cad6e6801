import GameFlow
import Outputs
import Parts
import RPC
import Sessions
import Timers

/// Makes the outputs that the `on` lines of the configuration ask for. What asks for them is a change, a refusal, a stuck session or an
/// alert.
final class OutputMaker {
    /// The name of the daemon's instance, with which the ids of outputs begin.
    let instance: String
    /// All `on` lines: the lines that send outputs, and the lines that cause steps of other sessions.
    @exclusivity(unchecked) private(set) var onLines = OnLines()
    /// Finds the node that sends an output.
    private var nodes: OutputNodes
    /// Returns the shard of a session. A step of a session in another shard is sent as an output, because another node may own
    /// that shard. Such an output is called a send.
    private let shardNumber: (SessionName) -> Int
    /// The number of refusals since the start. A refusal has no number that stays unique after a restart. So the ids of its
    /// outputs contain this count and `startID`.
    private var refusalCount = 0
    /// The number of alerts since the start for which outputs were made. Their ids contain it, as those of refusals.
    private var alertCount = 0
    private var alertLines = AlertLines()
    /// A random text for this start of the daemon.
    private let startID = String(UInt64.random(in: .min ... .max), radix: 36)

    init(_ options: Options, instance: String, shardNumber: @escaping (SessionName) -> Int) {
        (self.instance, self.shardNumber) = (instance, shardNumber)
        nodes = OutputNodes(options)
    }

    /// Finds the nodes that send outputs in this configuration from now on.
    func reloadNodes(_ options: Options) { nodes = OutputNodes(options) }

    /// Applies the `on` lines of a configuration.
    func reloadLines(_ options: Options) {
        onLines = options.room.onLines
        alertLines.keepOnly(outputLines)
    }

    // MARK: lines

    /// The lines that send outputs to devices and programs.
    var outputLines: [OutputLine] { onLines.outputs }

    /// The line with this fingerprint; nil if it was removed, or if it sends no outputs.
    func line(_ fingerprint: UInt64) -> OutputLine? {
        outputLines.first { $0.fingerprint == fingerprint }
    }

    /// The names of the lines' targets, by the fingerprints of the lines.
    var targetNames: [UInt64: String] {
        Dictionary(
            outputLines.map { ($0.fingerprint, $0.target.name) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The node that sends the outputs of a line.
    func sender(of line: OutputLine) -> SendingNode { nodes.sender(of: line) }

    /// Makes the outputs of the sessions of a journal.
    func composer(for journal: Int) -> OutputComposer {
        OutputComposer(
            onLines, instance: instance, journal: journal, nodes, shardNumber: shardNumber)
    }

    // MARK: outputs

    func outputs(of change: Change, in journal: OutputJournal) -> [Output<OutputMessage>] {
        let session =
            change.kind == .close
            ? journal.sessions.closedSession(by: change)
            : try? journal.sessions.session(change.session)
        return composer(for: journal.number).outputs(
            of: change, flow: session?.flow.name ?? "", labels: session?.labels ?? [])
    }

    func outputs(of refused: RefusedEvent, in journal: OutputJournal) -> [Output<OutputMessage>] {
        // A chain of steps that is too long is ended here, too: its refusal causes no further output.
        guard refused.source.linkedSteps <= Source.linkedStepsLimit,
            outputLines.contains(where: { $0.trigger == .refused }),
            let status = (try? journal.sessions.session(refused.session))?.status
        else { return [] }
        refusalCount += 1
        return composer(for: journal.number).outputs(
            of: OutputOccasion(.refused(refused.event), status),
            refusalID: "\(startID)-\(refusalCount)", linkedSteps: refused.source.linkedSteps)
    }

    /// The outputs about a session that has become stuck in its present state.
    func outputs(ofStuck session: Session, in journal: OutputJournal) -> [Output<OutputMessage>] {
        guard outputLines.contains(where: { $0.trigger == .stuck }) else { return [] }
        return composer(for: journal.number).outputs(
            ofStuck: OutputOccasion(.stuck, session.status))
    }

    /// The outputs of `on alert` lines. They wait for no row: an alert can be about the journal. `lineOfOutput` is the line of
    /// the output that an alert is about. The failure of an output of an `on alert` line causes no further output. `tooSoon` are the
    /// lines that must not send now.
    func outputs(of alert: Alert, line lineOfOutput: UInt64?, at now: Instant) -> (
        outputs: [Output<OutputMessage>], tooSoon: [OutputLine]
    ) {
        guard outputLines.contains(where: \.isAboutAlerts),
            lineOfOutput.flatMap(line)?.isAboutAlerts != true
        else { return ([], []) }
        let (due, tooSoon) = alertLines.select(alert, from: outputLines, at: now)
        if due.isEmpty { return ([], tooSoon) }
        alertCount += 1
        let outputs = composer(for: OutputQueue<OutputMessage>.noJournal).outputs(
            of: alert, due, alertID: "\(startID)-\(alertCount)")
        return (outputs, tooSoon)
    }
}
