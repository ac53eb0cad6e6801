internal import GameFlow
internal import Support
internal import Timers

/// Who pressed first: the events of one name, accepted and refused, in the order in which the daemon received them.
extension Sessions {
    /// The presses since the session last entered a state that takes the event, the first one first.
    public struct Presses {
        public let records: [Record]
        /// Whether nothing is missing.
        public let isComplete: Bool
        /// Whether the journal may have presses that are not in memory.
        public let mayBeMoreInJournal: Bool
    }

    /// Returns the presses of an event in a session from memory. Changes and refusals beyond the limits are forgotten, and a restart
    /// forgets all but the newest change.
    public func presses(of event: String, in session: Session) -> Presses {
        var search = PressSearch(of: event, in: session)
        var walk = HistoryWalk(session, from: .init(), ring, refusals)
        while !search.hasEnded, let record = walk.next() { search.add(record) }
        let isInMemory =
            search.entry.map { keepsRefusals(of: session, since: $0) } ?? false
        return Presses(
            records: search.records, isComplete: isInMemory && hasHadStore(since: search.entry),
            mayBeMoreInJournal: isRecorded
                && (search.entry == nil || auditsRefusals && !isInMemory))
    }

    /// Returns that of several events which the session's present state takes, or else the one that was taken, or could be, most
    /// recently. The first event if memory has none of them.
    public func newestTaken(of events: [String], in session: Session) -> String? {
        guard events.count > 1 else { return events.first }
        let accepted = session.machine.accepts
        if let event = events.first(where: { event in accepted.contains(where: event.hasSameBytes) }
        ) {
            return event
        }
        var states = events.map { TakingStates(session.flow, $0) }
        var walk = HistoryWalk(session, from: .init(), ring, refusals)
        while let record = walk.next() {
            guard case .change(let change) = record else { continue }
            let index = states.indices.first { index in
                change.step.event?.name.hasSameBytes(as: events[index]) == true
                    || states[index].areEntered(by: change)
            }
            if let index { return events[index] }
        }
        return events.first
    }

    /// Returns the presses that a search has found in the rows of the journal, which contain the refusals if they are recorded.
    public func presses(foundInRows search: PressSearch) -> Presses {
        let isComplete =
            search.entry.map {
                hasRecordedRefusals(of: search.session, since: $0) && search.omittedRefusals == 0
                    || keepsRefusals(of: search.session, since: $0)
            } ?? false
        return Presses(
            records: search.records, isComplete: isComplete && hasHadStore(since: search.entry),
            mayBeMoreInJournal: false)
    }

    /// Whether the refusals since a change of a session are recorded. The journal lacks those beyond the limits per second, and those
    /// of a time in which the store did not work.
    private func hasRecordedRefusals(of session: Session, since change: Change) -> Bool {
        guard auditsRefusals, session.unrecordedRefusals == 0 else { return false }
        return recording.starts.auditedSince.map { $0 <= change.at } ?? false
    }

    /// Whether the store has worked since a change. An event that was sent while it did not work, or whose change was undone, got the
    /// error `storage`: it was neither accepted nor refused.
    private func hasHadStore(since change: Change?) -> Bool {
        guard outage == nil else { return false }
        guard let change, let end = recording.outageEnd else { return true }
        return end < change.at
    }

    /// Whether all refusals since a change of a session are in memory.
    private func keepsRefusals(of session: Session, since change: Change) -> Bool {
        guard change.at >= beginning else { return false }
        var number = session.lastRefusal
        while let refusal = refusals[number], refusal.seq >= change.seq {
            number = refusal.previous
        }
        return number == 0 || refusals[number] != nil
    }

    /// Finds the presses of an event among the records of a session. It ends at the change that entered a state that takes the
    /// event, or at the session's opening.
    public struct PressSearch {
        public let session: Session
        private let event: String
        private var takingStates: TakingStates
        /// The presses, the newest first.
        private var newestFirst: [Record] = []
        /// The change that entered the state; nil until it is found.
        private(set) var entry: Change?
        /// The number of refusals that the rows count as left out of the journal.
        private(set) var omittedRefusals = 0

        public init(of event: String, in session: Session) {
            (self.session, self.event) = (session, event)
            takingStates = TakingStates(session.flow, event)
        }

        /// Whether older records are not needed.
        public var hasEnded: Bool { entry != nil }

        /// The presses, the first one first.
        var records: [Record] { newestFirst.reversed() }

        /// Takes the next older record of the session.
        public mutating func add(_ record: Record) {
            if hasEnded { return }
            switch record {
            case .change(let change)
            where change.kind == .open || takingStates.areEntered(by: change):
                entry = change
            case .change(let change):
                if change.step.event?.name.hasSameBytes(as: event) == true {
                    newestFirst.append(record)
                }
            case .refusal(let refusal):
                omittedRefusals += refusal.dropped
                if refusal.event.name.hasSameBytes(as: event) { newestFirst.append(record) }
            }
        }
    }
}

/// The states of a flow that take an event. A state is tried once, with the data of its newest visit.
private struct TakingStates {
    private let flow: AnyFlow
    private let event: String
    private var known: [String: Bool] = [:]

    init(_ flow: AnyFlow, _ event: String) { (self.flow, self.event) = (flow, event) }

    /// Whether a change entered a state that takes the event.
    mutating func areEntered(by change: Change) -> Bool {
        guard change.step.kind.isEntry, let place = change.step.to else { return false }
        if let isTaking = known[place.state] { return isTaking }
        let snapshot = MachineRecord(place: place, timers: [], waiting: [])
        let isTaking =
            flow.describe(snapshot, at: change.at)?.accepts
            .contains { $0.hasSameBytes(as: event) } ?? false
        known[place.state] = isTaking
        return isTaking
    }
}
