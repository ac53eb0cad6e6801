public import Sessions
internal import Support
public import Timers

/// The outputs from their change to the record of their delivery: they wait until their change is durable, are tried
/// until they are delivered or given up, and what became of them is recorded.
///
/// Changes are in one or more journals, each with rows of its own; targets are common to all journals.
///
/// It is deterministic, has no clock, and knows nothing of the kinds of targets. All calls are on one thread.
public struct OutputQueue<Content> {
    private enum Step {
        case output(Output<Content>)
        /// The changes of a session with these numbers were undone.
        case undo(SessionName, ClosedRange<Int>)
    }

    /// An output that is finished.
    public struct Finished {
        public let output: Output<Content>
        public let outcome: DeliveryRecord.Outcome
        /// Why it was given up.
        public let why: String
    }

    /// The outputs and records that wait for rows of one journal.
    private struct Journal {
        /// The outputs that wait for a row to become durable, in the order of the rows.
        var uncommitted = Deque<(row: Int, change: Int, step: Step)>()
        var toRecord: [DeliveryRecord] = []
        /// The records whose row is not durable yet.
        var recorded = Deque<(row: Int, records: [DeliveryRecord])>()

        var isEmpty: Bool { uncommitted.isEmpty && toRecord.isEmpty && recorded.isEmpty }
    }

    /// The journals for whose rows something waits.
    private var journals: [Int: Journal] = [:]
    private var machine = DeliveryMachine<Content>()
    private var finished: [Finished] = []

    public init() {}

    /// The number of outputs whose change is durable, and that are not finished.
    public var waiting: Int { machine.waiting }
    /// These outputs, by target.
    public var outputs: [Output<Content>] { machine.outputs }
    /// Whether something waits for rows of a journal.
    public func waits(for journal: Int) -> Bool { journals[journal] != nil }

    // MARK: changes

    /// Adds an output that may be sent when this row of its journal is durable. `change` is the row of its change, if that is
    /// another one.
    public mutating func add(_ output: Output<Content>, after row: Int, change: Int? = nil) {
        journals[output.journal, default: Journal()].uncommitted.append(
            (row, change ?? row, .output(output)))
    }

    /// When this row is durable, outputs of these changes of a session that still wait are given up.
    public mutating func undo(
        _ session: SessionName, _ changes: ClosedRange<Int>, after row: Int, in journal: Int = 0
    ) {
        journals[journal, default: Journal()].uncommitted.append(
            (row, row, .undo(session, changes)))
    }

    /// All rows of the journal up to this one are durable. `mayBeSent` says whether outputs to the target of an output are on.
    public mutating func commit(
        upTo row: Int, in journal: Int = 0, at now: Instant,
        mayBeSent: (Output<Content>) -> Bool = { _ in true }
    ) {
        guard var own = journals.removeValue(forKey: journal) else { return }
        while let next = own.recorded.first, next.row <= row { _ = own.recorded.removeFirst() }
        var durable: [Step] = []
        while let next = own.uncommitted.first, next.row <= row {
            _ = own.uncommitted.removeFirst()
            durable.append(next.step)
        }
        if !own.isEmpty { journals[journal] = own }
        for step in durable {
            switch step {
            case .undo(let session, let changes):
                giveUp("its change was undone") { output in
                    output.origin.map { $0.session == session && changes.contains($0.seq) } ?? false
                }
            case .output(let output):
                if mayBeSent(output) {
                    machine.add(output, at: now)
                } else {
                    finish(output, .withheld, "outputs are off")
                }
            }
        }
        collectGivenUp()
    }

    /// The rows of the journal after this one were undone: outputs of their changes are dropped, records are written again,
    /// and outputs whose beginning could not be recorded are given up.
    public mutating func rollBack(to row: Int, in journal: Int = 0) {
        guard var own = journals.removeValue(forKey: journal) else { return }
        var waiting = exchange(&own.uncommitted, with: Deque())
        var dropped: [Output<Content>] = []
        while let next = waiting.removeFirst() {
            if next.row <= row {
                own.uncommitted.append(next)
            } else if next.change <= row, case .output(let output) = next.step {
                dropped.append(output)
            }
        }
        var lost: [DeliveryRecord] = []
        while let last = own.recorded.last, last.row > row {
            lost = last.records + lost
            _ = own.recorded.removeLast()
        }
        own.toRecord = lost + own.toRecord
        if !own.isEmpty { journals[journal] = own }
        for output in dropped { finish(output, .givenUp, "the storage failed") }
    }

    /// Forgets everything about a journal: another process has it, and sends what is left. An output that is being sent may
    /// still arrive.
    public mutating func forget(_ journal: Int) {
        journals[journal] = nil
        machine.remove { $0.journal == journal }
        finished.removeAll { $0.output.journal == journal }
    }

    // MARK: deliveries

    /// The attempts that start now. `maySend` says whether this process may act for the journal of an output at present; if
    /// it may not, the output waits, and so do those behind it.
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

    /// Reports how an attempt ended.
    public mutating func ended(
        _ id: String, of target: String, _ result: DeliveryResult, at now: Instant
    ) {
        if let output = machine.ended(id, of: target, result, at: now) {
            finish(output, .delivered, "")
        }
        collectGivenUp()
    }

    /// Gives up all waiting outputs for which the condition is true.
    public mutating func giveUp(_ why: String, where isMeant: (Output<Content>) -> Bool) {
        machine.giveUp(why, where: isMeant)
        collectGivenUp()
    }

    /// Gives up an output that was never added.
    public mutating func giveUp(_ output: Output<Content>, _ why: String) {
        finish(output, .givenUp, why)
    }

    /// When `due` is to be called next; nil if nothing waits.
    public var nextWake: Instant? { machine.nextWake }

    private mutating func collectGivenUp() {
        for given in machine.takeGivenUp() { finish(given.output, .givenUp, given.why) }
    }

    private mutating func finish(
        _ output: Output<Content>, _ outcome: DeliveryRecord.Outcome, _ why: String
    ) {
        finished.append(Finished(output: output, outcome: outcome, why: why))
        guard let origin = output.origin else { return }
        journals[output.journal, default: Journal()].toRecord.append(origin.record(outcome))
    }

    /// Removes and returns the outputs that were finished since the last call, in order.
    public mutating func takeFinished() -> [Finished] { exchange(&finished, with: []) }

    // MARK: records

    /// The journals that have records which are not written yet, in the order of their numbers.
    public var unwrittenJournals: [Int] {
        journals.filter { !$0.value.toRecord.isEmpty }.keys.sorted()
    }

    /// The records of a journal that are not written yet.
    public func unwritten(in journal: Int = 0) -> [DeliveryRecord] {
        journals[journal]?.toRecord ?? []
    }

    /// All records of `unwritten` are in this row, which is not durable yet; the row is nil without a journal.
    public mutating func wrote(in row: Int?, of journal: Int = 0) {
        guard var own = journals.removeValue(forKey: journal) else { return }
        let records = exchange(&own.toRecord, with: [])
        if let row, !records.isEmpty { own.recorded.append((row, records)) }
        if !own.isEmpty { journals[journal] = own }
    }
}
