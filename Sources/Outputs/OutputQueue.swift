public import Sessions
public import Support
public import Timers

/// The queue of all outputs. An output waits until its change is durable, and is then tried until it is delivered or given
/// up. The outcome is recorded in the journal.
///
/// Changes are in one or more journals, each with rows of its own; targets are common to all journals. A parameter `row` is the
/// position of a row in its journal.
///
/// The queue is deterministic, has no clock, and does not know the kinds of targets. All calls are on one thread.
public struct OutputQueue<Content> {
    /// An action that waits until a row is durable.
    private enum PendingAction {
        /// The output may be sent.
        case output(Output<Content>)
        /// The changes of a session whose `seq` is in this range were undone.
        case undo(SessionName, ClosedRange<Int>)
    }

    /// An output that is not tried any more.
    public struct Finished {
        public let output: Output<Content>
        public let outcome: DeliveryRecord.Outcome
        /// The reason why the output was given up or withheld; empty if it was delivered.
        public let why: String
    }

    /// The outputs and records that wait for rows of one journal.
    private struct JournalState {
        /// The actions that wait for a row to become durable, in the order of the rows. `change` is the row of the change.
        var pendingActions = Deque<(row: Int, change: Int, action: PendingAction)>()
        /// The records of outcomes that no row contains yet.
        var unwrittenRecords: [DeliveryRecord] = []
        /// The records whose row is not durable yet.
        var undurableRecords = Deque<(row: Int, records: [DeliveryRecord])>()

        var isEmpty: Bool {
            pendingActions.isEmpty && unwrittenRecords.isEmpty && undurableRecords.isEmpty
        }
    }

    /// Why the outputs of undone changes are given up.
    public static var undone: String { "its change was undone" }

    /// Whether the queue never had an output or a record. A daemon without outputs looks at nothing else.
    public private(set) var isUnused = true
    /// The journals for whose rows outputs, undone changes or records wait, by number.
    private var journals: [Int: JournalState] = [:] { didSet { isUnused = false } }
    /// The outputs whose change is durable.
    private var machine: DeliveryMachine<Content>
    /// The outputs that were finished since `takeFinished` was called.
    private var finished: [Finished] = []

    /// `spread` makes the pauses between the attempts shorter.
    public init(spread: RetrySpread = .none) { machine = DeliveryMachine(spread: spread) }

    /// The number of unfinished outputs whose change is durable.
    public var waiting: Int { machine.waiting }
    /// Whether no output waits.
    public var isIdle: Bool { machine.isIdle }
    /// The unfinished outputs whose change is durable, by target.
    public var outputs: [Output<Content>] { machine.outputs }
    /// Whether outputs, undone changes or records wait for rows of a journal.
    public func waits(for journal: Int) -> Bool { journals[journal] != nil }

    // MARK: changes

    /// Adds an output that may be sent when this row of its journal is durable. `change` is the row of the output's change; nil
    /// if it is the same row.
    public mutating func add(_ output: Output<Content>, after row: Int, change: Int? = nil) {
        journals[output.journal, default: JournalState()].pendingActions.append(
            (row, change ?? row, .output(output)))
    }

    /// The number of the journal of outputs that no journal records.
    public static var noJournal: Int { -1 }

    /// Adds an output that no change asks for, and that no journal records.
    public mutating func addUnrecorded(_ output: Output<Content>, at now: Instant) {
        isUnused = false
        machine.add(output, at: now)
        collectGivenUp()
    }

    /// Finishes an output that was never added and must not be sent.
    public mutating func withhold(_ output: Output<Content>, _ why: String) {
        isUnused = false
        finish(output, .withheld, why)
    }

    /// Gives up, as soon as this row is durable, the outputs that still wait and belong to undone changes. `changes` is the
    /// range of the `seq` of these changes.
    public mutating func undo(
        _ session: SessionName, _ changes: ClosedRange<Int>, after row: Int, in journal: Int = 0
    ) {
        journals[journal, default: JournalState()].pendingActions.append(
            (row, row, .undo(session, changes)))
    }

    /// Reports that all rows of the journal up to this row are durable. `reasonToWithhold` returns why an output must not be
    /// sent, for example because outputs to its target are off. It returns nil if the output may be sent.
    public mutating func commit(
        upTo row: Int, in journal: Int = 0, at now: Instant,
        reasonToWithhold: (Output<Content>) -> String? = { _ in nil }
    ) {
        guard var state = journals.removeValue(forKey: journal) else { return }
        while let next = state.undurableRecords.first, next.row <= row {
            _ = state.undurableRecords.removeFirst()
        }
        var durableActions: [PendingAction] = []
        while let next = state.pendingActions.first, next.row <= row {
            _ = state.pendingActions.removeFirst()
            durableActions.append(next.action)
        }
        if !state.isEmpty { journals[journal] = state }
        for action in durableActions {
            switch action {
            case .undo(let session, let changes):
                giveUp(Self.undone) { output in
                    output.origin.map { $0.session == session && changes.contains($0.seq) } ?? false
                }
            case .output(let output):
                if let reason = reasonToWithhold(output) {
                    finish(output, .withheld, reason)
                } else {
                    machine.add(output, at: now)
                }
            }
        }
        collectGivenUp()
    }

    /// Reports that the rows of the journal after this row were lost. Outputs whose change was in a lost row are forgotten.
    /// Outputs of earlier changes that waited for a lost row are given up. Records in the lost rows are to be written again.
    public mutating func rollBack(to row: Int, in journal: Int = 0) {
        guard var state = journals.removeValue(forKey: journal) else { return }
        var oldActions = exchange(&state.pendingActions, with: Deque())
        var outputsToGiveUp: [Output<Content>] = []
        while let next = oldActions.removeFirst() {
            if next.row <= row {
                state.pendingActions.append(next)
            } else if next.change <= row, case .output(let output) = next.action {
                outputsToGiveUp.append(output)
            }
        }
        var lostRecords: [DeliveryRecord] = []
        while let last = state.undurableRecords.last, last.row > row {
            lostRecords = last.records + lostRecords
            _ = state.undurableRecords.removeLast()
        }
        state.unwrittenRecords = lostRecords + state.unwrittenRecords
        if !state.isEmpty { journals[journal] = state }
        for output in outputsToGiveUp { finish(output, .givenUp, "the storage failed") }
    }

    /// Removes all outputs and records of a journal, because another process owns it now and sends its outputs. An output that
    /// is being sent may still arrive.
    public mutating func removeAll(of journal: Int) {
        journals[journal] = nil
        machine.remove { $0.journal == journal }
        finished.removeAll { $0.output.journal == journal }
    }

    // MARK: deliveries

    /// Starts the attempts that are due, and returns their outputs. `maySend` returns whether this process may act for the
    /// journal of an output at present. If it may not, the output and the later outputs of its target wait.
    public mutating func due(
        at now: Instant, where maySend: (Output<Content>) -> Bool = { _ in true }
    ) -> [Output<Content>] {
        defer { collectGivenUp() }
        return machine.due(at: now, where: maySend)
    }

    /// Whether an attempt runs for an output of this journal.
    public func isSending(for journal: Int) -> Bool {
        machine.isSending { $0.journal == journal }
    }

    /// Reports the result of the attempt for the output with this id.
    public mutating func attemptEnded(
        _ id: String, of target: String, _ result: DeliveryResult, at now: Instant
    ) {
        if let output = machine.attemptEnded(id, of: target, result, at: now) {
            finish(output, .delivered, "")
        }
        collectGivenUp()
    }

    /// Gives up all waiting outputs for which the condition is true.
    public mutating func giveUp(_ why: String, where condition: (Output<Content>) -> Bool) {
        machine.giveUp(why, where: condition)
        collectGivenUp()
    }

    /// Gives up an output that was never added.
    public mutating func giveUp(_ output: Output<Content>, _ why: String) {
        finish(output, .givenUp, why)
    }

    /// The instant at which `due` is to be called next; nil if no output waits.
    public var nextWake: Instant? { machine.nextWake }

    /// Finishes the outputs that the machine has given up.
    private mutating func collectGivenUp() {
        for givenUp in machine.takeGivenUp() { finish(givenUp.output, .givenUp, givenUp.why) }
    }

    /// Notes the outcome of an output, and a record of it if the journal is to contain one.
    private mutating func finish(
        _ output: Output<Content>, _ outcome: DeliveryRecord.Outcome, _ why: String
    ) {
        finished.append(Finished(output: output, outcome: outcome, why: why))
        guard let origin = output.origin else { return }
        journals[output.journal, default: JournalState()].unwrittenRecords.append(
            origin.record(outcome))
    }

    /// Removes and returns the outputs that were finished since the last call, in order.
    public mutating func takeFinished() -> [Finished] { exchange(&finished, with: []) }

    // MARK: records

    /// The journals that have records which are not written yet, in the order of their numbers.
    public var unwrittenJournals: [Int] {
        journals.filter { !$0.value.unwrittenRecords.isEmpty }.keys.sorted()
    }

    /// The records of a journal that are not written yet.
    public func unwrittenRecords(in journal: Int = 0) -> [DeliveryRecord] {
        journals[journal]?.unwrittenRecords ?? []
    }

    /// Adds an alert to the record that an output was given up, before the record is written.
    public mutating func add(
        _ alert: DeliveryRecord.Alert, to key: DeliveryRecord.Key, in journal: Int = 0
    ) {
        guard
            let index = journals[journal]?.unwrittenRecords.lastIndex(where: {
                $0.key == key && $0.outcome == .givenUp
            }), let record = journals[journal]?.unwrittenRecords[index]
        else { return }
        journals[journal]?.unwrittenRecords[index] = DeliveryRecord(
            key, number: record.number, givenUpWith: alert)
    }

    /// Adds a record, such as the acknowledgement of an alert.
    public mutating func add(_ record: DeliveryRecord, in journal: Int = 0) {
        journals[journal, default: JournalState()].unwrittenRecords.append(record)
    }

    /// Reports that this row contains all records that `unwrittenRecords` returned. The row is not durable yet. `row` is nil if
    /// no journal stores the records.
    public mutating func recordsWritten(in row: Int?, of journal: Int = 0) {
        guard var state = journals.removeValue(forKey: journal) else { return }
        let records = exchange(&state.unwrittenRecords, with: [])
        if let row, !records.isEmpty { state.undurableRecords.append((row, records)) }
        if !state.isEmpty { journals[journal] = state }
    }
}
