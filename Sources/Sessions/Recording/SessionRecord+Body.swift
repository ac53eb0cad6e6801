public import GameFlow
public import Timers

extension SessionRecord {
    /// What happened.
    public enum Body: Equatable, Sendable {
        case change(Changed)
        case rest(Rest)
        /// In memory of its own: a record is small then, and most are of changes.
        indirect case refusal(Refusal)
        case start(Start)
        case advance(Advanced)
        /// A session that could not be taken up again was given up.
        case givenUp(why: String, source: RecordedSource)
        /// Rows were erased.
        case forgotten(Forgotten)
    }

    /// All rows of a session that is over were erased, and its name with them.
    public struct Forgotten: Equatable, Sendable {
        /// The positions that the rows had, in increasing order.
        public let positions: [Int]
        /// How many times the session had been opened.
        public let openings: Int

        public init(_ positions: [Int], openings: Int) {
            (self.positions, self.openings) = (positions, openings)
        }
    }

    /// A change and the session after it.
    ///
    /// A class, as the others that a record of a session consists of: a start reads millions of records, and a copy
    /// would count the references to all that is in them.
    public final class Changed: Equatable, Sendable {
        public let did: RecordedStep
        /// Whether it was not asked for, but came of the change before it.
        public let follows: Bool
        /// The changes that it took back, if it did.
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

    /// The first and the last of the changes that an undo took back, by their numbers in the session.
    public struct Undone: Equatable, Sendable {
        public let from: Int
        public let to: Int

        public init(from: Int, to: Int) { (self.from, self.to) = (from, to) }
    }

    /// What a step did besides its changes, after the newest of them.
    public final class Rest: Equatable, Sendable {
        /// The newest change, its number, and when it was.
        public let last: RecordedStep
        public let lastPos: Int
        public let lastAt: Instant
        /// The countdown that fired.
        public let fired: String?
        /// What a request with an id was answered that is no change.
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

    /// A session as it is after a record.
    public final class Status: Equatable, Sendable {
        public let flow: String
        /// The version of the flow; nil of one that has none.
        public let flowVersion: Int?
        public let openedAt: Instant
        /// The number of the change that entered the present state; 0 where nobody wrote that down.
        public let entry: Int
        /// How many requests with an id it had.
        public let ids: Int
        public let settings: [Member]
        public let labels: [Member]
        /// The machine; nil once the session is closed, and of a record that another one of the same call follows.
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

        /// The same with its timers numbered from 0, in their order, and without what `other` does not have: journals
        /// of version 1 know no entries and versions, and have the machine in each record of a call.
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

    /// An event that was refused.
    public struct Refusal: Equatable, Sendable {
        public let event: EventRecord
        /// How many bytes of its arguments were left out.
        public let omittedBytes: Int
        public let source: RecordedSource
        /// The error's number, its name and its data.
        public let code: Int
        public let error: String
        public let data: [Member]
        /// How many refusals before it were left out.
        public let dropped: Int

        public init(
            _ event: EventRecord, omittedBytes: Int = 0, from source: RecordedSource, code: Int,
            error: String, data: [Member], dropped: Int = 0
        ) {
            (self.event, self.omittedBytes, self.source) = (event, omittedBytes, source)
            (self.code, self.error, self.data, self.dropped) = (code, error, data, dropped)
        }
    }

    /// The daemon began, or began again.
    public struct Start: Equatable, Sendable {
        public let now: Instant
        /// When it was last known to be up before.
        public let lastSign: Instant
        /// What else there is to know of it: its version, its clock.
        public let notes: [Member]

        public init(now: Instant, lastSign: Instant, notes: [Member] = []) {
            (self.now, self.lastSign, self.notes) = (now, lastSign, notes)
        }
    }

    /// The virtual clock was moved.
    public struct Advanced: Equatable, Sendable {
        /// How far it got.
        public let now: Instant
        /// How many timers fired.
        public let fired: Int
        /// Whether not all fired that was due there.
        public let isCutShort: Bool
        /// By how much it was to be moved; nil for up to the next timer.
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
