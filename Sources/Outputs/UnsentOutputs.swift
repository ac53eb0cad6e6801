package import GameFlow
package import Sessions
package import Timers

/// Reads the records of the journal, and finds the outputs that an earlier start of the daemon did not send. For these outputs,
/// the journal has no record that their delivery ended. Most outputs belong to a change. If a session was stuck, an output was
/// accepted without a change, and the journal records this output. Call `add` with all records first, and then `decisions`.
package struct UnsentOutputs<Content> {
    /// Returns the outputs that a change requests.
    package typealias Compose =
        (_ change: Change, _ flow: String, _ labels: [Member]) -> [Output<Content>]

    /// Returns the output that was accepted without a change. Nil if no line of the configuration requests this output any
    /// more.
    package typealias ComposeAccepted = (Accepted) -> Output<Content>?

    /// An output that was requested for a session without a change.
    package struct Accepted {
        package let record: DeliveryRecord
        package let session: SessionName
        /// The instant at which the output was accepted, on the sessions' clock.
        package let acceptedAt: Instant
        /// The end of the entry in which the output was requested; nil if the entry has not ended in the records.
        package fileprivate(set) var end: End?

        /// The change that ended the entry, and the session's flow and labels at this change.
        package struct End {
            package let change: Change
            package let flow: String
            package let labels: [Member]
        }
    }

    /// Whether an unsent output is sent by the present start.
    package enum Decision {
        /// The output is sent. Its change was made, or it was accepted, at this instant of the sessions' clock.
        case send(Output<Content>, madeAt: Instant)
        case giveUp(Output<Content>, why: String)
    }

    /// An output that the records request.
    private enum FoundOutput {
        case ofChange(Output<Content>, at: Instant)
        /// An output without a change: its index in `accepted`.
        case accepted(Int)
    }

    private let compose: Compose
    private let composeAccepted: ComposeAccepted
    /// All requested outputs, in the order of the journal.
    private var foundOutputs: [FoundOutput] = []
    private var accepted: [Accepted] = []
    /// The newest recorded outcome of each output. Does not contain the outcome `.accepted`.
    private var outcomes: [DeliveryRecord.Key: DeliveryRecord.Outcome] = [:]
    /// The outputs whose change or entry was undone.
    private var undone: Set<DeliveryRecord.Key> = []

    package init(_ compose: @escaping Compose, accepted: @escaping ComposeAccepted) {
        (self.compose, composeAccepted) = (compose, accepted)
    }

    /// Adds the next record, in the order of the journal.
    package mutating func add(_ record: SessionRecord) {
        if case .deliveries(let deliveries) = record.body {
            for delivery in deliveries { add(delivery, at: record.at) }
        }
        guard case .change(let status) = record.body, let change = record.change(view: nil)
        else { return }
        let (flow, labels) = (status.flow, status.labels)
        if let changes = change.undone { undo(change.session, changes) }
        endEntries(Accepted.End(change: change, flow: flow, labels: labels))
        foundOutputs += compose(change, flow, labels).map { .ofChange($0, at: record.at) }
    }

    /// Adds the record of an output. Only the record of an accepted output has a session.
    private mutating func add(_ delivery: DeliveryRecord, at instant: Instant) {
        guard let session = delivery.session else {
            outcomes[delivery.key] = delivery.outcome
            return
        }
        foundOutputs.append(.accepted(accepted.count))
        accepted.append(Accepted(record: delivery, session: session, acceptedAt: instant))
    }

    /// Notes that the outputs of these changes were undone. `changes` is a range of `seq`.
    private mutating func undo(_ session: SessionName, _ changes: ClosedRange<Int>) {
        for case .ofChange(let output, _) in foundOutputs {
            guard let origin = output.origin, origin.session == session,
                changes.contains(origin.seq)
            else { continue }
            undone.insert(origin.key)
        }
    }

    /// Sets the end of the accepted outputs whose entry ends with the change.
    private mutating func endEntries(_ end: Accepted.End) {
        for index in accepted.indices
        where accepted[index].session == end.change.session && accepted[index].end == nil {
            // For an accepted output, `key.pos` is the number of the entry in which the output was requested.
            let isSameEntry = accepted[index].record.key.pos == end.change.entry
            // A change without a transition into a state stays in the entry. Only the change that closes the session ends it.
            guard !isSameEntry || end.change.kind == .close else { continue }
            accepted[index].end = end
            if end.change.undone != nil { undone.insert(accepted[index].record.key) }
        }
    }

    /// Returns the decisions about the unsent outputs, in the order of the journal. If the sessions' clock is virtual
    /// (`isRealTime` is false), the age of the outputs is not known, and all are given up.
    package func decisions(isRealTime: Bool) -> [Decision] {
        foundOutputs.compactMap { found in
            switch found {
            case .ofChange(let output, let madeAt):
                return decision(output, madeAt, isRealTime: isRealTime)
            case .accepted(let index):
                return composeAccepted(accepted[index]).flatMap {
                    decision($0, accepted[index].acceptedAt, isRealTime: isRealTime)
                }
            }
        }
    }

    /// The decision about an output; nil if its delivery has ended, or if the journal does not record its delivery (`origin` is
    /// nil). An output was `withheld` if outputs were off, its line was removed, or its receiver wants no more.
    private func decision(
        _ output: Output<Content>, _ madeAt: Instant, isRealTime: Bool
    ) -> Decision? {
        guard let key = output.origin?.key else { return nil }
        switch outcomes[key] {
        case .delivered, .givenUp, .withheld, .acknowledged: return nil
        case .started:
            return .giveUp(output, why: "the daemon ended while it was sent; it may have arrived")
        case .accepted, nil: break
        }
        if undone.contains(key) { return .giveUp(output, why: "its change was undone") }
        guard isRealTime else {
            return .giveUp(output, why: "its age is not known: the clock is virtual")
        }
        return .send(output, madeAt: madeAt)
    }
}
