public import Sessions
internal import Support
public import Timers

/// The outputs from their change to the record of their delivery: they wait until their change is durable, are tried
/// until they are delivered or given up, and what became of them is recorded.
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

    /// What waits for a row to become durable, in the order of the rows.
    private var uncommitted = Deque<(row: Int, change: Int, step: Step)>()
    private var machine = DeliveryMachine<Content>()
    private var finished: [Finished] = []
    private var toRecord: [DeliveryRecord] = []
    /// The records whose row is not durable yet.
    private var recorded = Deque<(row: Int, records: [DeliveryRecord])>()

    public init() {}

    /// The number of outputs whose change is durable, and that are not finished.
    public var waiting: Int { machine.waiting }
    /// These outputs, by target.
    public var outputs: [Output<Content>] { machine.outputs }

    // MARK: changes

    /// Adds an output that may be sent when this row is durable. `change` is the row of its change, if that is another
    /// one.
    public mutating func add(_ output: Output<Content>, after row: Int, change: Int? = nil) {
        uncommitted.append((row, change ?? row, .output(output)))
    }

    /// When this row is durable, outputs of these changes of a session that still wait are given up.
    public mutating func undo(_ session: SessionName, _ changes: ClosedRange<Int>, after row: Int) {
        uncommitted.append((row, row, .undo(session, changes)))
    }

    /// All rows up to this one are durable. `mayBeSent` says whether outputs to the target of an output are on.
    public mutating func commit(
        upTo row: Int, at now: Instant, mayBeSent: (Output<Content>) -> Bool = { _ in true }
    ) {
        while let next = recorded.first, next.row <= row { _ = recorded.removeFirst() }
        while let next = uncommitted.first, next.row <= row {
            _ = uncommitted.removeFirst()
            switch next.step {
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

    /// The rows after this one were undone: outputs of their changes are dropped, records are written again, and outputs
    /// whose beginning could not be recorded are given up.
    public mutating func rollBack(to row: Int) {
        var waiting = exchange(&uncommitted, with: Deque())
        while let next = waiting.removeFirst() {
            if next.row <= row {
                uncommitted.append(next)
            } else if next.change <= row, case .output(let output) = next.step {
                finish(output, .givenUp, "the storage failed")
            }
        }
        var lost: [DeliveryRecord] = []
        while let last = recorded.last, last.row > row {
            lost = last.records + lost
            _ = recorded.removeLast()
        }
        toRecord = lost + toRecord
    }

    // MARK: deliveries

    /// The attempts that start now.
    public mutating func due(at now: Instant) -> [Output<Content>] {
        defer { collectGivenUp() }
        return machine.due(at: now)
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
        if let origin = output.origin { toRecord.append(origin.record(outcome)) }
    }

    /// Removes and returns the outputs that were finished since the last call, in order.
    public mutating func takeFinished() -> [Finished] { exchange(&finished, with: []) }

    // MARK: records

    /// The records that are not written yet.
    public var unwritten: [DeliveryRecord] { toRecord }

    /// All records of `unwritten` are in this row, which is not durable yet; the row is nil without a journal.
    public mutating func wrote(in row: Int?) {
        let records = exchange(&toRecord, with: [])
        if let row, !records.isEmpty { recorded.append((row, records)) }
    }
}
