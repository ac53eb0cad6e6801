internal import JSON
internal import Timers

/// An instant with its JSON, which all changes of one millisecond share: what happens, happens in
/// bursts, and a date takes longer to write than the rest of a change. The instant itself is each one's own,
/// to the nanosecond: timers count from it.
struct Moment: Sendable {
    let instant: Instant
    /// `"atMs":…,"time":…`, members of the object they stand in.
    let json: [UInt8]

    init(_ instant: Instant) {
        self.instant = instant
        json = JSONWriter.bytes { $0.time(instant) }
    }

    /// Another instant, often of the same millisecond.
    init(_ instant: Instant, after last: Moment) {
        let isNear = instant.milliseconds == last.instant.milliseconds
        self.instant = instant
        json = isNear ? last.json : JSONWriter.bytes { $0.time(instant) }
    }
}
