internal import JSON
internal import Timers

/// An instant with its JSON, which all changes of one millisecond share: what happens, happens in
/// bursts, and a date takes longer to write than the rest of a change.
final class Moment: Sendable {
    let instant: Instant
    /// `"atMs":…,"time":…`, members of the object they stand in.
    let json: [UInt8]

    init(_ instant: Instant) {
        self.instant = instant
        json = JSONWriter.bytes { $0.time(instant) }
    }
}
