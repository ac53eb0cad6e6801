package import GameFlow
package import Sessions
package import Timers

/// Finds the outputs that an earlier start of the daemon has left, in the records of its journal: those of changes that
/// have no record of the end of their delivery.
package struct LeftOutputs<Content> {
    /// The outputs that a change asks for.
    package typealias Compose =
        (_ change: Change, _ flow: String, _ labels: [Member]) -> [Output<Content>]

    /// What is to be done with an output that was left.
    package enum Fate {
        /// It is sent; its change was made at this instant of the sessions' clock.
        case send(Output<Content>, madeAt: Instant)
        case giveUp(Output<Content>, why: String)
    }

    private let compose: Compose
    private var outputs: [(output: Output<Content>, at: Instant)] = []
    private var records: [DeliveryRecord.Key: DeliveryRecord.Outcome] = [:]
    private var undone: Set<DeliveryRecord.Key> = []

    package init(_ compose: @escaping Compose) { self.compose = compose }

    /// Takes the next record, in the order of the journal.
    package mutating func take(_ record: SessionRecord) {
        if case .deliveries(let deliveries) = record.body {
            for delivery in deliveries { records[delivery.key] = delivery.outcome }
        }
        guard case .change(let changed) = record.body, let change = record.change(hiding: nil)
        else { return }
        if case .undo(let from, let to) = change.order, from <= to {
            undo(change.session, from...to)
        }
        let found = compose(change, changed.status.flow, changed.status.labels)
        outputs += found.map { ($0, record.at) }
    }

    private mutating func undo(_ session: SessionName, _ changes: ClosedRange<Int>) {
        for (output, _) in outputs {
            guard let origin = output.origin, origin.session == session,
                changes.contains(origin.seq)
            else { continue }
            undone.insert(origin.key)
        }
    }

    /// What is to be done with the outputs that were left, in the order of their changes. Without the real time their age
    /// is not known.
    package func fates(isRealTime: Bool) -> [Fate] {
        outputs.compactMap { output, at in
            guard let key = output.origin?.key else { return nil }
            switch records[key] {
            case .delivered, .givenUp, .withheld: return nil
            case .started:
                return .giveUp(
                    output, why: "the daemon ended while it was sent; it may have arrived")
            case nil: break
            }
            if undone.contains(key) { return .giveUp(output, why: "its change was undone") }
            guard isRealTime else {
                return .giveUp(output, why: "its age is not known: the clock is virtual")
            }
            return .send(output, madeAt: at)
        }
    }
}
