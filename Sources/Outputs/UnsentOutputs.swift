package import GameFlow
package import Sessions
package import Timers

/// Finds the outputs that an earlier start of the daemon did not send, in the records of its journal. These are outputs
/// for which the journal has no record that their delivery ended. They belong to changes, or were accepted without a
/// change.
package struct UnsentOutputs<Content> {
    /// Returns the outputs that a change requests.
    package typealias Compose =
        (_ change: Change, _ flow: String, _ labels: [Member]) -> [Output<Content>]

    /// Returns the output that was accepted without a change; nil if no line requests it any more.
    package typealias ComposeAccepted = (Accepted) -> Output<Content>?

    /// An output that was requested for a session without a change.
    package struct Accepted {
        package let record: DeliveryRecord
        package let session: SessionName
        /// The instant at which the output was accepted, on the sessions' clock.
        package let at: Instant
        /// The end of the entry in which the output was requested; nil if the journal shows no end.
        package fileprivate(set) var end: End?

        package struct End {
            package let change: Change
            package let flow: String
            package let labels: [Member]
        }
    }

    /// Whether an unsent output is sent now.
    package enum Decision {
        /// The output is sent. Its change was made at this instant of the sessions' clock.
        case send(Output<Content>, madeAt: Instant)
        case giveUp(Output<Content>, why: String)
    }

    private enum Found {
        case ofChange(Output<Content>, at: Instant)
        /// An output without a change: its index in `accepted`.
        case accepted(Int)
    }

    private let compose: Compose
    private let composeAccepted: ComposeAccepted
    private var found: [Found] = []
    private var accepted: [Accepted] = []
    private var records: [DeliveryRecord.Key: DeliveryRecord.Outcome] = [:]
    private var undone: Set<DeliveryRecord.Key> = []

    package init(_ compose: @escaping Compose, accepted: @escaping ComposeAccepted) {
        (self.compose, composeAccepted) = (compose, accepted)
    }

    /// Adds the next record, in the order of the journal.
    package mutating func add(_ record: SessionRecord) {
        if case .deliveries(let deliveries) = record.body {
            for delivery in deliveries { add(delivery, at: record.at) }
        }
        guard case .change(let changed) = record.body, let change = record.change(hiding: nil)
        else { return }
        let (flow, labels) = (changed.status.flow, changed.status.labels)
        if case .undo(let from, let to) = change.details, from <= to {
            undo(change.session, from...to)
        }
        endEntries(Accepted.End(change: change, flow: flow, labels: labels))
        found += compose(change, flow, labels).map { .ofChange($0, at: record.at) }
    }

    private mutating func add(_ delivery: DeliveryRecord, at instant: Instant) {
        guard let session = delivery.session else {
            records[delivery.key] = delivery.outcome
            return
        }
        found.append(.accepted(accepted.count))
        accepted.append(Accepted(record: delivery, session: session, at: instant))
    }

    private mutating func undo(_ session: SessionName, _ changes: ClosedRange<Int>) {
        for case .ofChange(let output, _) in found {
            guard let origin = output.origin, origin.session == session,
                changes.contains(origin.seq)
            else { continue }
            undone.insert(origin.key)
        }
    }

    /// Notes the end of the entries that a change ends, in the accepted outputs of its session.
    private mutating func endEntries(_ end: Accepted.End) {
        for index in accepted.indices
        where accepted[index].session == end.change.session && accepted[index].end == nil {
            let isSameEntry = accepted[index].record.key.pos == end.change.entry
            guard !isSameEntry || end.change.kind == .close else { continue }
            accepted[index].end = end
            if end.change.kind == .undo { undone.insert(accepted[index].record.key) }
        }
    }

    /// Returns the decisions about the unsent outputs, in the order of the journal. If the clock is virtual, their age is not
    /// known, and they are given up.
    package func decisions(isRealTime: Bool) -> [Decision] {
        found.compactMap { found in
            switch found {
            case .ofChange(let output, let at): return decision(output, at, isRealTime: isRealTime)
            case .accepted(let index):
                return composeAccepted(accepted[index]).flatMap {
                    decision($0, accepted[index].at, isRealTime: isRealTime)
                }
            }
        }
    }

    private func decision(_ output: Output<Content>, _ at: Instant, isRealTime: Bool) -> Decision? {
        guard let key = output.origin?.key else { return nil }
        switch records[key] {
        case .delivered, .givenUp, .withheld: return nil
        case .started:
            return .giveUp(output, why: "the daemon ended while it was sent; it may have arrived")
        case .accepted, nil: break
        }
        if undone.contains(key) { return .giveUp(output, why: "its change was undone") }
        guard isRealTime else {
            return .giveUp(output, why: "its age is not known: the clock is virtual")
        }
        return .send(output, madeAt: at)
    }
}
