internal import GameFlow
internal import Timers

/// Everything that is needed to continue a hosted machine in another process: what a `SnapshotStore` keeps.
public struct MachineSnapshot: Codable, Equatable, Sendable {
    /// The name of the flow.
    public let flow: String
    /// The name of the state.
    public let state: String
    /// The number of the visit of the state; greater than those of all earlier visits of all machines of the host.
    public let entry: Int
    /// The number of changes that the machine has made.
    public let changes: Int
    /// When the snapshot was made, in nanoseconds since 1970.
    public let savedNs: Int64

    let data: [CodedMember]
    let timers: [CodedTimer]
    let waiting: [CodedEvent]
    let chance: CodedChance?
    let moments: [CodedMoment]
    /// The newest requests with an id, the oldest first.
    let answers: [CodedAnswer]

    /// A snapshot of a machine. `at` is the present instant of its clock.
    init(
        _ machine: MachineRecord, flow: String, entry: Int, changes: Int,
        answers: [CodedAnswer], at now: Instant
    ) {
        (self.flow, self.entry, self.changes) = (flow, entry, changes)
        (state, savedNs, self.answers) = (machine.place.state, now.nanoseconds, answers)
        data = machine.place.data.map { CodedMember($0) }
        timers = machine.timers.map { CodedTimer($0) }
        waiting = machine.waiting.map { CodedEvent($0.event) }
        chance = machine.chance.map { CodedChance(seed: $0.seed, drawn: $0.drawn) }
        moments = machine.moments.map { CodedMoment($0) }
    }

    /// The snapshot of the machine. Throws if a number is impossible; the snapshot may come from a damaged or foreign store.
    func machine() throws -> MachineRecord {
        guard Self.counts ~= entry, Self.counts ~= changes, Self.instants ~= savedNs else {
            throw HostRefusal(.invalid, "a machine cannot have these numbers")
        }
        return MachineRecord(
            place: StateRecord(state, data.map(\.member)),
            timers: try timers.map { try $0.record() },
            waiting: waiting.map { .init($0.record, from: .program) },
            chance: chance.map { Chance(seed: $0.seed, drawn: $0.drawn) },
            moments: try moments.map { try $0.moment() })
    }
}

extension MachineSnapshot {
    /// The numbers that a visit and a change can have. As many are left for those to come.
    static var counts: ClosedRange<Int> { 0...Int.max / 2 }
    /// The instants that a clock can show, in nanoseconds.
    static var instants: ClosedRange<Int64> { 0...Instant.last.nanoseconds }
}

/// A named value. Members are an array, because their order counts.
struct CodedMember: Codable, Equatable, Sendable {
    let name: String
    let value: CodedValue

    init(_ member: Member) { (name, value) = (member.name, CodedValue(member.value)) }

    var member: Member { Member(name, value.value) }
}

/// The answer to a request with an id: the state that it led to.
struct CodedAnswer: Codable, Equatable, Sendable {
    let id: String
    let state: String
    let data: [CodedMember]

    init(_ id: String, _ place: StateRecord) {
        (self.id, state, data) = (id, place.state, place.data.map { CodedMember($0) })
    }

    var place: StateRecord { StateRecord(state, data.map(\.member)) }
}

struct CodedEvent: Codable, Equatable, Sendable {
    let name: String
    let arguments: [CodedMember]

    init(_ event: EventRecord) {
        (name, arguments) = (event.name, event.arguments.map { CodedMember($0) })
    }

    var record: EventRecord { EventRecord(name, arguments.map(\.member)) }
}

struct CodedChance: Codable, Equatable, Sendable {
    let seed: UInt64
    let drawn: UInt64
}

struct CodedMoment: Codable, Equatable, Sendable {
    let state: String
    let data: [CodedMember]
    let timers: [CodedTimer]
    let atNs: Int64

    init(_ moment: Moment) {
        (state, data) = (moment.place.state, moment.place.data.map { CodedMember($0) })
        (timers, atNs) = (moment.timers.map { CodedTimer($0) }, moment.at.nanoseconds)
    }

    func moment() throws -> Moment {
        guard MachineSnapshot.instants ~= atNs else {
            throw HostRefusal(.invalid, "a state cannot have been left at this instant")
        }
        return Moment(
            place: StateRecord(state, data.map(\.member)),
            timers: try timers.map { try $0.record() }, at: Instant(nanoseconds: atNs))
    }
}

struct CodedTimer: Codable, Equatable, Sendable {
    let fires: String
    let totalNs: Int64
    /// The deadline of a running timer; nil if it is paused.
    let untilNs: Int64?
    /// What a paused timer has left; nil if it runs.
    let leftNs: Int64?
    let order: UInt64
    let traits: UInt16
    let time: CodedTime?

    init(_ timer: TimerRecord) {
        (fires, totalNs) = (timer.fires, timer.total.nanoseconds)
        (order, traits) = (timer.order, timer.traits.rawValue)
        time = timer.until.map { CodedTime($0) }
        switch timer.state {
        case .running(let until): (untilNs, leftNs) = (until.nanoseconds, nil)
        case .paused(let remaining): (untilNs, leftNs) = (nil, remaining.nanoseconds)
        }
    }

    func record() throws -> TimerRecord {
        guard isPossible else {
            throw HostRefusal(.invalid, "\(fires): a timer cannot have these values")
        }
        let state: TimerRecord.TimerState =
            untilNs.map { .running(until: Instant(nanoseconds: $0)) }
            ?? .paused(remaining: .nanoseconds(leftNs ?? 0))
        return TimerRecord(
            fires: fires, total: .nanoseconds(totalNs), state: state, order: order,
            traits: TimerTraits(rawValue: traits), until: try time?.until())
    }

    /// Whether no number is beyond those of all timers. The machine checks the timers of its state more exactly, but not those of
    /// states to which it may go back.
    private var isPossible: Bool {
        let longest = Duration.longest.nanoseconds
        let deadlines = -longest...(Instant.last + .longest).nanoseconds
        return 0...longest ~= totalNs && deadlines ~= untilNs ?? 0
            && -longest...longest ~= leftNs ?? 0 && order < UInt64(Int64.max)
    }
}

/// A time of day at which a timer fires, and what was computed from it.
struct CodedTime: Codable, Equatable, Sendable {
    let second: Int
    let zone: String
    let sinceNs: Int64
    let dateNs: Int64
    let deadlineNs: Int64

    init(_ until: UntilTime) {
        (second, zone, sinceNs) = (until.time.second, until.zone, until.since.nanoseconds)
        (dateNs, deadlineNs) = (until.date.nanoseconds, until.deadline.nanoseconds)
    }

    func until() throws -> UntilTime {
        let limit = (Instant.last + .longest).nanoseconds
        guard let time = TimeOfDay(second: second),
            [sinceNs, dateNs, deadlineNs].allSatisfy({ -limit...limit ~= $0 })
        else {
            throw HostRefusal(.invalid, "a time of day is out of range")
        }
        return UntilTime(
            time, zone: zone, since: Instant(nanoseconds: sinceNs),
            date: Instant(nanoseconds: dateNs), deadline: Instant(nanoseconds: deadlineNs))
    }
}
