public import GameFlow
public import Timers

extension SessionRecord {
    /// The content of a record.
    public enum Body: Equatable, Sendable {
        case change(Changed)
        case rest(Rest)
        /// Allocated separately to keep records small; most records are changes.
        indirect case refusal(Refusal)
        case start(Start)
        case advance(Advanced)
        /// A quarantined session was given up.
        case givenUp(why: String, source: RecordedSource)
        /// Rows of a closed session were erased.
        case forgotten(Forgotten)
    }

    /// The erasure of all rows of a closed session, including its name.
    public struct Forgotten: Equatable, Sendable {
        /// The positions of the erased rows, in increasing order.
        public let positions: [Int]
        /// The number of times that the session had been opened.
        public let openings: Int

        public init(_ positions: [Int], openings: Int) {
            (self.positions, self.openings) = (positions, openings)
        }
    }

    /// A change and the session after it.
    ///
    /// This is a class, as are the other parts of a session's record: a start reads millions of records, and a
    /// copy would count the references to all their parts.
    public final class Changed: Equatable, Sendable {
        public let did: RecordedStep
        /// Whether the change was not requested but followed from the change before it.
        public let follows: Bool
        /// The changes that this change undid, if it is an undo.
        public let undone: Undone?
        public let status: Status

        public init(
            _ did: RecordedStep, follows: Bool = false, undone: Undone? = nil, _ status: Status
        ) {
            (self.did, self.follows, self.undone, self.status) = (did, follows, undone, status)
        }

        public static func == (a: Changed, b: Changed) -> Bool {
            a === b
                || (a.did == b.did && a.follows == b.follows && a.undone == b.undone
                    && a.status == b.status)
        }

        func with(_ status: Status) -> Changed {
            Changed(did, follows: follows, undone: undone, status)
        }
    }

    /// The first and last change that an undo has undone, by their numbers in the session.
    public struct Undone: Equatable, Sendable {
        public let from: Int
        public let to: Int

        public init(from: Int, to: Int) { (self.from, self.to) = (from, to) }
    }

    /// The effects of a step that are not changes, recorded after the session's newest change.
    public final class Rest: Equatable, Sendable {
        /// The newest change, its position and its instant.
        public let last: RecordedStep
        public let lastPos: Int
        public let lastAt: Instant
        /// The signal of the countdown that fired.
        public let fired: String?
        /// The answer to a request with an id that caused no change.
        public let answer: RecordedStep?
        public let follows: Bool
        public let status: Status

        public init(
            after last: RecordedStep, pos lastPos: Int, at lastAt: Instant, fired: String? = nil,
            answer: RecordedStep? = nil, follows: Bool = false, _ status: Status
        ) {
            (self.last, self.lastPos, self.lastAt) = (last, lastPos, lastAt)
            (self.fired, self.answer, self.follows) = (fired, answer, follows)
            self.status = status
        }

        public static func == (a: Rest, b: Rest) -> Bool {
            a === b
                || (a.last == b.last && a.lastPos == b.lastPos && a.lastAt == b.lastAt
                    && a.fired == b.fired && a.answer == b.answer && a.follows == b.follows
                    && a.status == b.status)
        }

        func with(_ status: Status) -> Rest {
            Rest(
                after: last, pos: lastPos, at: lastAt, fired: fired, answer: answer,
                follows: follows, status)
        }
    }

    /// A session after a record.
    public final class Status: Equatable, Sendable {
        public let flow: String
        /// The version of the flow; nil if the journal records none.
        public let flowVersion: Int?
        public let openedAt: Instant
        /// The number of the change that entered the present state; 0 if the journal does not record it.
        public let entry: Int
        /// The number of the session's requests with an id.
        public let ids: Int
        public let settings: [Member]
        public let labels: [Member]
        /// The machine's snapshot. Nil if the session is closed, and in a record that is not the session's last
        /// one of its call.
        public let machine: MachineSnapshot?

        public init(
            flow: String, flowVersion: Int? = nil, openedAt: Instant, entry: Int = 0, ids: Int = 0,
            settings: [Member] = [], labels: [Member] = [], machine: MachineSnapshot?
        ) {
            (self.flow, self.flowVersion, self.openedAt) = (flow, flowVersion, openedAt)
            (self.entry, self.ids, self.settings) = (entry, ids, settings)
            (self.labels, self.machine) = (labels, machine)
        }

        public static func == (a: Status, b: Status) -> Bool {
            a === b
                || (a.flow == b.flow && a.flowVersion == b.flowVersion && a.openedAt == b.openedAt
                    && a.entry == b.entry && a.ids == b.ids && a.settings == b.settings
                    && a.labels == b.labels && a.machine == b.machine)
        }

        /// Returns the status with timers numbered from 0 in their order, and without values that `other`
        /// lacks. Journals of version 1 contain no entries and no flow versions, and have a snapshot in each
        /// record of a call.
        func comparable(with other: Status?) -> Status {
            Status(
                flow: flow, flowVersion: other?.flowVersion == nil ? nil : flowVersion,
                openedAt: openedAt, entry: other?.entry == 0 ? 0 : entry, ids: ids,
                settings: settings, labels: labels,
                machine: other?.machine == nil ? nil : machine.map { Self.comparable($0) })
        }

        private static func comparable(_ machine: MachineSnapshot) -> MachineSnapshot {
            let orders = machine.timers.map { $0.isPaused ? 0 : $0.order }
            let timers = zip(machine.timers, orders).map { timer, order in
                TimerRecord(
                    fires: timer.fires, total: timer.total, standing: timer.standing,
                    order: UInt64(orders.count { $0 < order }))
            }
            return MachineSnapshot(place: machine.place, timers: timers, waiting: machine.waiting)
        }
    }

    /// A refused event.
    public struct Refusal: Equatable, Sendable {
        public let event: EventRecord
        /// The number of bytes of its arguments that were left out.
        public let omittedBytes: Int
        public let source: RecordedSource
        /// The error's number, its name and its data.
        public let code: Int
        public let error: String
        public let data: [Member]
        /// The number of earlier refusals that were left out.
        public let dropped: Int

        public init(
            _ event: EventRecord, omittedBytes: Int = 0, from source: RecordedSource, code: Int,
            error: String, data: [Member], dropped: Int = 0
        ) {
            (self.event, self.omittedBytes, self.source) = (event, omittedBytes, source)
            (self.code, self.error, self.data, self.dropped) = (code, error, data, dropped)
        }
    }

    /// A start of the daemon.
    public struct Start: Equatable, Sendable {
        public let now: Instant
        /// The last instant before the start at which the daemon is known to have run.
        public let lastSign: Instant
        /// Further information about the start: the daemon's version and its clock.
        public let notes: [Member]

        public init(now: Instant, lastSign: Instant, notes: [Member] = []) {
            (self.now, self.lastSign, self.notes) = (now, lastSign, notes)
        }
    }

    /// A move of the virtual clock.
    public struct Advanced: Equatable, Sendable {
        /// The instant that the clock reached.
        public let now: Instant
        /// The number of timers that fired.
        public let fired: Int
        /// Whether the move stopped before all due timers had fired.
        public let isCutShort: Bool
        /// The requested duration; nil for a move to the next timer.
        public let by: Duration?
        public let source: RecordedSource?

        public init(
            to now: Instant, fired: Int, isCutShort: Bool, by: Duration?,
            from source: RecordedSource?
        ) {
            (self.now, self.fired, self.isCutShort) = (now, fired, isCutShort)
            (self.by, self.source) = (by, source)
        }
    }
}
