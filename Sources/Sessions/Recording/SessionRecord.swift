public import GameFlow
public import Timers

/// The content of one row of the journal; `JournalRow` encodes it. A single record is enough to restore a session: the newest
/// record that contains the snapshot of the session's machine.
///
/// A call is a request or the firing of a timer. One call can make several records, because deferred and posted events are
/// handled in the same call. All records of a call are committed together, so only the session's last record of a call contains
/// the snapshot.
public struct SessionRecord: Equatable, Sendable {
    /// The kind of a record. The journal contains these numbers; a number is never reused for another kind.
    public enum Kind: Int, Sendable, CaseIterable {
        /// A change of a session, or the end of a quarantined session.
        case change
        /// An action of a session that made no change: the firing of a countdown, or the answer to a request with an id.
        /// Because of the record, the action is not repeated after a restart.
        case rest
        /// A refused event.
        case refusal
        /// An action of the daemon itself, without a session.
        case daemon
        /// Rows of a closed session were erased.
        case forgotten
    }

    /// The record's session; nil for the daemon's own actions and for an erased session.
    public let session: SessionName?
    /// In the record of a change, the `seq` of that change. In the records of the daemon itself, `startSeq`, `textSeq`,
    /// `clockSeq` or 0. In
    /// any other record, the `seq` of the session's newest change at the instant `at`.
    public let seq: Int
    /// The instant at which the record was made.
    public let at: Instant
    /// In the record of a change, the `pos` of that change. In any other record, the `pos` of the daemon's newest change at the
    /// instant `at`.
    public let pos: Int
    /// The id of the request that caused the record; nil if no request with an id caused it.
    public let id: String?
    /// The number of the request among the session's requests with an id, counted from 1; 0 if `id` is nil.
    public let idNumber: Int
    /// The record's position in the journal; nil before the record is written.
    public let position: Int?
    /// The content of the record.
    public let body: Body

    /// The value of `seq` in a record of a start of the daemon. The removal of old rows recognises the starts by this value. It
    /// always keeps the starts, because the timers of sessions with older rows depend on them.
    public static let startSeq = 1
    /// The value of `seq` in a record with the text of a flow. The removal of old rows always keeps the texts, because a
    /// session of any age may play a flow with an old text.
    public static let textSeq = 2
    /// The value of `seq` in a record of a correction of the clock. The removal of old rows always keeps these records, because
    /// the dates of later rows depend on them.
    public static let clockSeq = 3

    public init(
        _ body: Body, session: SessionName?, seq: Int, at: Instant, pos: Int, id: String? = nil,
        idNumber: Int = 0, position: Int? = nil
    ) {
        (self.body, self.session, self.seq, self.at) = (body, session, seq, at)
        (self.pos, self.id, self.idNumber, self.position) = (pos, id, idNumber, position)
    }

    /// The record of a change.
    public init(
        _ status: Status, id: String? = nil, idNumber: Int = 0, position: Int? = nil
    ) {
        let change = status.change
        self.init(
            .change(status), session: change.session, seq: change.seq, at: change.at,
            pos: change.pos, id: id, idNumber: idNumber, position: position)
    }

    public var kind: Kind {
        switch body {
        case .change, .quarantineGivenUp: .change
        case .rest: .rest
        case .refusal: .refusal
        case .start, .advance, .flowText, .deliveries, .clock: .daemon
        case .forgotten: .forgotten
        }
    }

    /// The session after the record, with its newest change; nil if the record does not contain it.
    public var status: Status? {
        switch body {
        case .change(let status), .rest(let status, _): status
        case .refusal, .start, .advance, .quarantineGivenUp, .forgotten, .flowText, .deliveries,
            .clock:
            nil
        }
    }

    /// The session's newest change at that time; nil if the record does not contain it.
    public var change: Change? { status?.change }

    /// Whether the session is closed after the record.
    package var isClosing: Bool { change?.kind == .close }

    /// Whether the record follows from the previous record of the same call, and was not requested itself.
    public var isConsequence: Bool { status?.isConsequence ?? false }

    /// Returns whether `other` equals this record. `other` was made by a repetition of the same calls. Positions are ignored,
    /// and so are values that only one of the records contains. The order numbers of the timers may differ if they put the
    /// timers into the same order. They differ if other sessions or undone changes have set further timers.
    public func isRepeated(by other: SessionRecord) -> Bool {
        comparable(with: other.status) == other.comparable(with: status)
    }

    /// Returns this record as if its session played another flow, another version of its flow, or its flow with other settings.
    /// If `opening` is not nil, the record is of an opening, as if it opened the session in this state. Used to replay a journal
    /// with another flow.
    public func playing(_ choice: FlowChoice, openedIn opening: StateRecord? = nil)
        -> SessionRecord
    {
        let body: Body =
            switch self.body {
            case .change(let status): .change(status.playing(choice, openedIn: opening))
            case .rest(let status, let rest):
                .rest(status.playing(choice, openedIn: nil), rest)
            case .refusal, .start, .advance, .quarantineGivenUp, .forgotten, .flowText, .deliveries,
                .clock:
                self.body
            }
        return SessionRecord(
            body, session: session, seq: seq, at: at, pos: pos, id: id, idNumber: idNumber,
            position: position)
    }

    /// Returns the record without the values that `isRepeated` ignores. `other` is the status in the other record.
    private func comparable(with other: Status?) -> SessionRecord {
        let body: Body =
            switch self.body {
            case .change(let status): .change(status.comparable(with: other))
            // Older versions repeat more of the change.
            case .rest(let status, let rest):
                .rest(status.with(status.change.repeated).comparable(with: other), rest)
            case .refusal, .start, .advance, .quarantineGivenUp, .forgotten, .flowText, .deliveries,
                .clock:
                self.body
            }
        return SessionRecord(body, session: session, seq: seq, at: at, pos: pos, id: id)
    }
}

extension SessionRecord {
    /// The content of a record.
    public enum Body: Equatable, Sendable {
        case change(Status)
        /// The first value repeats the session's newest change.
        indirect case rest(Status, Rest)
        /// The event and the data of the error may be shortened.
        case refusal(RefusedEvent)
        case start(Start)
        case advance(ClockAdvance)
        /// A quarantined session was given up.
        case quarantineGivenUp(why: String, source: Source)
        /// Rows of a closed session were erased.
        case forgotten(Forgotten)
        /// The text of a version of a flow. This record precedes the records of the sessions that play the version.
        case flowText(name: String, FlowSource)
        /// The outcomes of outputs.
        case deliveries([DeliveryRecord])
        /// From this record on, the wall clock differs by `correction` from the daemon's clock.
        case clock(correction: Duration)
    }

    /// The erasure of all rows of a closed session. The session's name is erased too.
    public struct Forgotten: Equatable, Sendable {
        /// The positions of the erased rows, in increasing order.
        public let positions: [Int]
        /// The number of times that the session had been opened.
        public let openings: Int

        public init(_ positions: [Int], openings: Int) {
            (self.positions, self.openings) = (positions, openings)
        }
    }

    /// A countdown that fired without a change, or a request that was answered without one. The record repeats the
    /// session's newest change, so that the session can be restored from this record alone.
    public struct Rest: Equatable, Sendable {
        /// The signal of the countdown that fired; nil for a request.
        public let fired: String?
        /// The answer to a request with an id that caused no change.
        public let answer: Change?

        public init(fired: String? = nil, answer: Change? = nil) {
            (self.fired, self.answer) = (fired, answer)
        }

        public static func == (a: Rest, b: Rest) -> Bool {
            a.fired == b.fired && a.hasSameAnswer(as: b)
        }

        private func hasSameAnswer(as other: Rest) -> Bool {
            switch (answer, other.answer) {
            case (let a?, let b?): a.isRecorded(like: b)
            case (nil, nil): true
            case (nil, _?), (_?, nil): false
            }
        }
    }

    /// A session after a record, with its newest change.
    ///
    /// This is a class: a start reads millions of records, and each copy of a struct would retain each of its parts.
    public final class Status: Equatable, Sendable {
        /// In a record of the kind `rest`, the change as far as records repeat it.
        public let change: Change
        /// Whether the record follows from the record before it in the same call, and was not requested itself.
        public let isConsequence: Bool
        public let flow: String
        /// The version number that the flow declares; nil if the journal records none.
        public let flowVersion: Int?
        /// The version of the flow's text; nil if the flow is compiled into the program.
        public let sourceVersion: String?
        public let openedAt: Instant
        /// The `pos` of the change that entered the present state; 0 if the journal does not record it.
        public let entry: Int
        /// The number of the session's requests with an id, up to this record.
        public let requestIDCount: Int
        /// When the session entered the present state. Nil if the journal does not record it: its format is older than the
        /// third, or the session entered the state when the format was older.
        public let enteredAt: Instant?
        /// The settings that differ from the flow's own values, as they are written in a configuration.
        public let settings: [Member]
        public let notes: SessionNotes?
        public var labels: [Member] { notes?.labels ?? [] }
        /// The machine's snapshot. Nil if the session is closed, and in a record that is not the session's last
        /// one of its call.
        package let machine: MachineRecord?
        /// The session's seed and the number of its draws; nil for a flow that draws nothing. Each record with a snapshot has it,
        /// and so has an opening.
        public let chance: Chance?

        package init(
            _ change: Change, isConsequence: Bool = false, flow: String, flowVersion: Int? = nil,
            sourceVersion: String? = nil, openedAt: Instant, entry: Int = 0,
            enteredAt: Instant? = nil, requestIDCount: Int = 0,
            settings: [Member] = [], notes: SessionNotes? = nil,
            machine: MachineRecord?, chance: Chance? = nil
        ) {
            (self.change, self.isConsequence) = (change, isConsequence)
            self.chance = chance ?? machine?.chance
            (self.flow, self.flowVersion, self.openedAt) = (flow, flowVersion, openedAt)
            self.enteredAt = enteredAt
            (self.entry, self.requestIDCount, self.settings) = (entry, requestIDCount, settings)
            (self.sourceVersion, self.notes, self.machine) = (sourceVersion, notes, machine)
        }

        public static func == (a: Status, b: Status) -> Bool {
            a === b
                || (a.change.isRecorded(like: b.change) && a.change.pos == b.change.pos
                    && a.change.at == b.change.at && a.isConsequence == b.isConsequence
                    && a.flow == b.flow && a.flowVersion == b.flowVersion
                    && a.openedAt == b.openedAt
                    && a.sourceVersion == b.sourceVersion && a.entry == b.entry
                    && a.enteredAt == b.enteredAt && a.requestIDCount == b.requestIDCount
                    && a.settings == b.settings && a.notes == b.notes && a.machine == b.machine
                    && a.chance == b.chance)
        }

        /// The same with another newest change.
        func with(_ change: Change) -> Status {
            Status(
                change, isConsequence: isConsequence, flow: flow, flowVersion: flowVersion,
                sourceVersion: sourceVersion, openedAt: openedAt, entry: entry,
                enteredAt: enteredAt, requestIDCount: requestIDCount, settings: settings,
                notes: notes, machine: machine, chance: chance)
        }

        func playing(_ choice: FlowChoice, openedIn opening: StateRecord?) -> Status {
            let opened = opening.map {
                change.with(Step(.open, from: change.step.source, nil, $0))
            }
            return Status(
                opened ?? change, isConsequence: isConsequence, flow: choice.name,
                flowVersion: flowVersion, sourceVersion: choice.sourceVersion, openedAt: openedAt,
                entry: entry, enteredAt: enteredAt, requestIDCount: requestIDCount,
                settings: choice.settings, notes: notes, machine: machine, chance: chance)
        }

        /// Returns the status with timers numbered from 0 in their order, and without the values that `other`, the status of a
        /// repetition, does not have. Journals of version 1 contain no entries and no flow versions, and have a snapshot in each
        /// record of a call. Journals of the versions 1 and 2 contain no times of entries, and gamed then ended no
        /// message with a state.
        func comparable(with other: Status?) -> Status {
            let isOlder = enteredAt == nil || other?.enteredAt == nil
            return Status(
                isOlder ? change.withoutMessage : change, isConsequence: isConsequence, flow: flow,
                flowVersion: other?.flowVersion == nil ? nil : flowVersion,
                sourceVersion: sourceVersion, openedAt: openedAt,
                entry: other?.entry == 0 ? 0 : entry, enteredAt: isOlder ? nil : enteredAt,
                requestIDCount: requestIDCount, settings: settings,
                notes: isOlder ? notes?.onlyLabels : notes,
                machine: other?.machine == nil ? nil : machine.map { Self.comparable($0) },
                chance: chance)
        }

        /// Leaves out the numbers of timers, which differ in a replay, and the deadlines of timers that fire at a time of day,
        /// which a replay takes from the record.
        private static func comparable(_ machine: MachineRecord) -> MachineRecord {
            // The number of a timer that is paused, or will not fire, does not matter.
            let orders = machine.timers.map { $0.deadline == nil ? 0 : $0.order }
            let timers = zip(machine.timers, orders).map { timer, order in
                timer.numbered(UInt64(orders.count { $0 < order })).withoutDeadlineAtTimeOfDay
            }
            return MachineRecord(
                place: machine.place, timers: timers, waiting: machine.waiting,
                chance: machine.chance, moments: machine.moments.map(\.withoutDeadlinesAtTimesOfDay)
            )
        }
    }

    /// A start of the daemon.
    public struct Start: Equatable, Sendable {
        /// The instant of the start.
        public let now: Instant
        /// The last instant before the start at which the daemon is known to have run.
        public let lastAlive: Instant
        /// Further information about the start: the daemon's version and its clock, whether it records refused events, and whether
        /// it is a hand-over or the return of the store.
        public let notes: [Member]

        public init(now: Instant, lastAlive: Instant, notes: [Member] = []) {
            (self.now, self.lastAlive, self.notes) = (now, lastAlive, notes)
        }

        /// The start of an owner to which the previous owner has handed the sessions over. The previous owner ran
        /// them until `lastAlive`, and all its changes are durable. Therefore every timer continues without a pause,
        /// whatever its restart policy is.
        public static func handOver(now: Instant, lastAlive: Instant, notes: [Member]) -> Start {
            Start(
                now: now, lastAlive: lastAlive, notes: notes + [Member(handOverNote, .bool(true))])
        }

        /// The start of a process that did not run since `lastAlive`, because it was stopped or the machine slept. The sessions
        /// stayed in memory, and so did the steps that can be undone.
        public static func afterStandstill(now: Instant, lastAlive: Instant, notes: [Member])
            -> Start
        {
            Start(
                now: now, lastAlive: lastAlive, notes: notes + [Member(stoppedNote, .bool(true))])
        }

        /// The return of the store, without which the process has run on. The events that were sent meanwhile are not recorded.
        public static func afterOutage(now: Instant, notes: [Member]) -> Start {
            Start(now: now, lastAlive: now, notes: notes + [Member(outageNote, .bool(true))])
        }

        private static let (handOverNote, stoppedNote) = ("handOver", "stopped")
        private static let outageNote = "outage"

        public var isAfterStandstill: Bool { notes[Self.stoppedNote] == .bool(true) }

        public var isHandOver: Bool { notes[Self.handOverNote] == .bool(true) }

        public var isAfterOutage: Bool { notes[Self.outageNote] == .bool(true) }

        /// Whether the sessions did not run before the start.
        var hadPause: Bool { !isHandOver && !isAfterOutage }

        /// The note of a daemon that records refused events.
        public static let auditNote = Member("audit", .string("refusals"))

        /// Whether the daemon records refused events.
        var auditsRefusals: Bool { notes.contains(Self.auditNote) }
    }

    /// A move of the virtual clock.
    public struct ClockAdvance: Equatable, Sendable {
        /// The instant that the clock reached.
        public let now: Instant
        /// The number of timers that fired.
        public let fired: Int
        /// Whether the move stopped before all due timers had fired.
        public let isCutShort: Bool
        /// The requested duration; nil for a move to the next timer.
        public let by: Duration?
        public let source: Source?

        public init(
            to now: Instant, fired: Int, isCutShort: Bool, by: Duration?,
            from source: Source?
        ) {
            (self.now, self.fired, self.isCutShort) = (now, fired, isCutShort)
            (self.by, self.source) = (by, source)
        }
    }
}

extension SessionRecord {
    /// Returns the newest change of the session at the time of the record; nil if the record does not contain it.
    /// `view` is what clients see of the states of the session's flow.
    package func change(view: ClientView?) -> Change? {
        if case .quarantineGivenUp(_, let source) = body, let session {
            return Change(
                session, seq: seq, pos: pos, entry: 0, previous: 0, at: at,
                Step(.close, from: source, nil, nil), view: view)
        }
        return change?.with(view)
    }

    /// Returns the answer to the request that caused the record, in the form of a change; nil if the record contains none.
    func answer(view: ClientView?) -> Change? {
        guard case .rest(_, let rest) = body, let answer = rest.answer else {
            return change(view: view)
        }
        return answer.with(view)
    }
}
