/// The wall clock beside a timeline: when it will show a time of day.
public struct CivilClock: Sendable {
    /// The zone in which it shows times; nil for a search, to which each state begins at 00:00.
    private let zone: ClockZone?
    /// By how much it is ahead of the timeline.
    package var lead: Duration

    /// If the wall clock is set by at most this, timers keep their deadlines.
    public static let tolerance = Duration.seconds(1)

    /// A wall clock of `zone` that is `lead` ahead of a timeline whose zero is 1970 UTC.
    public init(_ zone: ClockZone, lead: Duration = .zero) { (self.zone, self.lead) = (zone, lead) }

    /// A wall clock beside a virtual clock: at the zero of the timeline it shows 1970-01-01 00:00 in `zone`.
    public static func virtual(_ zone: ClockZone) -> CivilClock {
        CivilClock(zone, lead: zone.startOf1970 - .zero)
    }

    /// The clock of a search: a state is entered at 00:00, whenever that is.
    package static let search = CivilClock()

    private init() { (zone, lead) = (nil, .zero) }

    /// Whether this is the clock of a search.
    package var isSearch: Bool { zone == nil }

    /// The name of the zone.
    package var zoneName: String { zone?.name ?? ClockZone.utc.name }

    /// Returns the instant of the timeline at which the clock shows a time of a day. `day` is counted from 1970-01-01.
    package func instant(of time: TimeOfDay, onDay day: Int) -> Instant {
        .seconds((zone ?? .utc).second(of: time, onDay: day)) - lead
    }

    /// The same clock, with UTC as its zone.
    package var inUTC: CivilClock { CivilClock(.utc, lead: lead) }

    /// Returns the first such time of day after an instant of the timeline.
    func next(_ time: TimeOfDay, after instant: Instant) -> UntilTime {
        let since = instant + lead
        let date =
            zone?.next(time, after: since)
            ?? since + .seconds(time.second == 0 ? ClockZone.day : time.second)
        return UntilTime(time, zone: zoneName, since: since, date: date, deadline: date - lead)
    }

    /// Returns a time of day computed again, after the wall clock was set: the first after the entry, as the wall clock now dates
    /// the entry. If that is over because the wall clock was set back, the first after now: what has just fired does not
    /// fire again. `now` is the present instant of the timeline.
    package func again(_ until: UntilTime, at now: Instant) -> UntilTime {
        let step = lead - until.lead
        let new = next(until.time, after: until.since + (.zero - until.lead))
        return step < .zero && new.deadline <= now ? next(until.time, after: now) : new
    }
}

extension Instant {
    fileprivate static func - (a: Instant, b: Duration) -> Instant { a + (.zero - b) }
}

/// The time of day at which a timer fires, and what was computed from it. Dates are instants of the wall clock.
package final class UntilTime: Equatable, Sendable {
    public let time: TimeOfDay
    /// The name of the zone in which the date was computed.
    public let zone: String
    /// The date of the entry, or of the instant from which the next such time of day was computed.
    package let since: Instant
    /// The date at which the timer fires.
    package let date: Instant
    /// The instant of the timeline at which the timer fires.
    package let deadline: Instant

    package init(
        _ time: TimeOfDay, zone: String, since: Instant, date: Instant, deadline: Instant
    ) {
        (self.time, self.zone, self.since) = (time, zone, since)
        (self.date, self.deadline) = (date, deadline)
    }

    /// By how much the wall clock was ahead of the timeline when the deadline was computed.
    package var lead: Duration { date - deadline }
    /// The time from the entry to the deadline, at least as much as a record of a timer may have.
    package var total: Duration { max(date - since, .milliseconds(1)) }

    /// The same date on a timeline to which the wall clock has another lead.
    package func with(lead: Duration) -> UntilTime {
        UntilTime(time, zone: zone, since: since, date: date, deadline: date + (.zero - lead))
    }

    public static func == (a: UntilTime, b: UntilTime) -> Bool {
        a === b
            || (a.time == b.time && a.zone == b.zone && a.since == b.since && a.date == b.date
                && a.deadline == b.deadline)
    }
}
