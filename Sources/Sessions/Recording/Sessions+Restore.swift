internal import GameFlow
public import Timers

/// Going on from what was written down.
extension Sessions {
    /// A session that could not be restored, and why. The others are.
    public struct Quarantined: Equatable, Sendable {
        public let session: SessionName
        public let why: String
    }

    /// Takes up the sessions of these records, which are all that there were, in their order; before
    /// anything else is done with them. `lastSign` is the last instant at which the daemon is known to
    /// have been up. Nobody is told of anything, and no timer fires before the timeline settles.
    public func restore(_ records: [SessionRecord], lastSign: Instant) -> [Quarantined] {
        precondition(count == 0 && pos == 0, "what is restored comes first")
        var newest: [SessionName: (place: Int, record: SessionRecord)] = [:]
        for (place, record) in records.enumerated() { newest[record.session] = (place, record) }
        var quarantined: [Quarantined] = []
        var timers: [RestoredTimer] = []
        var last = 0
        for (_, record) in newest.values.sorted(by: { $0.place < $1.place }) {
            do throws(RecordReader.Damage) {
                let read = try RecordReader(record)
                last = max(last, read.pos)
                guard let snapshot = read.snapshot else { continue }
                timers += try restore(record, read, snapshot, lastSign)
            } catch {
                quarantined.append(Quarantined(session: record.session, why: error.why))
            }
        }
        startRing(at: last + 1)
        RestoredTimer.set(timers)
        rememberIDs(of: records)
        return quarantined
    }

    private func restore(
        _ record: SessionRecord, _ read: RecordReader, _ snapshot: MachineSnapshot,
        _ lastSign: Instant
    ) throws(RecordReader.Damage) -> [RestoredTimer] {
        guard let flow = flows.first(where: { $0.name == read.flow }) else {
            throw RecordReader.Damage(why: "there is no flow \(read.flow)")
        }
        let session = Session(record.session, flow, in: self, openedAt: read.openedAt)
        let timers: [RestoredTimer]
        do { timers = try session.machine.restore(snapshot, lastSign: lastSign) } catch {
            throw RecordReader.Damage(
                why: "\(snapshot.place.state) is not what the flow has: \(error.sentence)")
        }
        session.restore(last: change(record, read))
        index.insert(session)
        return timers
    }

    private func change(_ record: SessionRecord, _ read: RecordReader) -> Change {
        Change(
            record.session, seq: record.seq, pos: read.pos, previous: 0, at: Moment(record.at),
            read.step, order: read.order)
    }

    /// The answers that were given to requests with an id are given again. What belongs to a session that
    /// is over, or to an earlier one of the same name, is forgotten.
    private func rememberIDs(of records: [SessionRecord]) {
        for record in records {
            guard let read = try? RecordReader(record) else { continue }
            if read.step.kind == .open || read.step.kind == .close {
                receipts.forgetAll(of: record.session)
            }
            guard let id = read.id, index[record.session] != nil else { continue }
            receipts.remember(change(record, read), as: id, of: record.session)
        }
    }
}
