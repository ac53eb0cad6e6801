/// A time zone: by how much its clocks are ahead of UTC at each instant, and so when they show a time of day.
///
/// The zones come from the files of the system's time zone database (TZif, RFC 9636). A file lists the changes of the past and of
/// some years to come; the rule in its last line (POSIX) says how the zone goes on.
public final class ClockZone: Equatable, Sendable {
    /// The name, such as `Europe/Berlin`.
    public let name: String
    /// The changes of the clocks: from `at`, in seconds since 1970 UTC, they are `offset` seconds ahead of UTC.
    private let changes: [(at: Int, offset: Int)]
    /// By how many seconds the clocks were ahead before the first change.
    private let firstOffset: Int
    /// The rule after the last change; nil if the file has none, and then the last change applies for ever.
    private let rule: ClockZoneRule?

    /// The zone of UTC, which needs no file.
    public static let utc = ClockZone("UTC", [], firstOffset: 0, nil)

    private init(
        _ name: String, _ changes: [(at: Int, offset: Int)], firstOffset: Int,
        _ rule: ClockZoneRule?
    ) {
        (self.name, self.changes, self.firstOffset, self.rule) = (name, changes, firstOffset, rule)
    }

    /// Whether the zones have the same name, and so the same file or rule.
    public static func == (a: ClockZone, b: ClockZone) -> Bool {
        a.name.utf8.elementsEqual(b.name.utf8)
    }

    /// A zone without changes in the past, described by a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`; nil if it is not a rule.
    package convenience init?(rule text: String) {
        guard let rule = ClockZoneRule(text) else { return nil }
        self.init(text, [], firstOffset: rule.standardOffset, rule)
    }

    /// Reads a file of the time zone database; nil if it is damaged.
    package convenience init?(_ name: String, file: [UInt8]) {
        guard var reader = ZoneFileReader(file), let zone = reader.read() else { return nil }
        self.init(name, zone.changes, firstOffset: zone.firstOffset, zone.rule)
    }

    /// By how many seconds the zone's clocks are ahead of UTC at an instant, in seconds since 1970 UTC.
    package func offset(at second: Int) -> Int {
        let count = changes.partitioningIndex { $0.at > second }
        if count == changes.count, let rule { return rule.offset(at: second) }
        return count == 0 ? firstOffset : changes[count - 1].offset
    }

    /// Returns when the zone's clocks show a time of a day, in seconds since 1970 UTC. `day` is counted from 1970-01-01. A time
    /// that the clocks skip is the first moment after the gap. Of a time that occurs twice, returns the first.
    package func second(of time: TimeOfDay, onDay day: Int) -> Int {
        let local = day * Self.day + time.second
        // Zones differ from UTC by less than a day, and change their clocks much less often than once a day.
        let (before, after) = (offset(at: local - Self.day), offset(at: local + Self.day))
        if offset(at: local - before) == before { return local - before }
        if offset(at: local - after) == after { return local - after }
        // In a gap: the change is after `early` and at `late` or before.
        var (early, late) = (local - after, local - before)
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if offset(at: middle) == before { early = middle } else { late = middle }
        }
        return late
    }

    /// Returns the first instant after `date` at which the zone's clocks show a time of day. Both are counted from 1970 UTC.
    public func next(_ time: TimeOfDay, after date: Instant) -> Instant {
        let second = Int(date.nanoseconds.flooredQuotient(1_000_000_000))
        let today = (second + offset(at: second)).flooredQuotient(Self.day)
        // A search of a few days, because a time that is skipped, or occurs twice, can be on the wrong side of midnight.
        for day in today - 1...today + 2 {
            let instant = Instant.seconds(self.second(of: time, onDay: day))
            if instant > date { return instant }
        }
        return date + .seconds(Self.day)
    }

    /// The instant at which the zone's clocks showed 1970-01-01 00:00.
    package var startOf1970: Instant { .seconds(second(of: TimeOfDay(hour: 0), onDay: 0)) }

    static let day = 86_400
}

extension BinaryInteger {
    /// The quotient, rounded down.
    func flooredQuotient(_ divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension [(at: Int, offset: Int)] {
    /// The number of elements before the first for which the condition is true. It is true for all elements after that one.
    fileprivate func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Reads a TZif file.
private struct ZoneFileReader {
    private let bytes: [UInt8]
    private var position = 0

    /// The counts of a block, in the order of the file.
    private struct Counts {
        let utc, standard, leaps, times, types, letters: Int

        /// The length of the block, with times of `timeSize` bytes.
        func length(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4) + standard + utc
        }
    }

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.starts(with: "TZif".utf8) else { return nil }
    }

    mutating func read() -> (
        changes: [(at: Int, offset: Int)], firstOffset: Int, rule: ClockZoneRule?
    )? {
        guard let (version, first) = header() else { return nil }
        // The first block has times of four bytes. From version 2 on, the same follows with eight bytes, and then the rule.
        guard version >= UInt8(ascii: "2") else {
            return block(first, timeSize: 4).map { ($0, $1, nil) }
        }
        position += first.length(timeSize: 4)
        guard let (_, counts) = header(), let (changes, firstOffset) = block(counts, timeSize: 8)
        else { return nil }
        let footer = bytes[min(position, bytes.count)...].split(separator: UInt8(ascii: "\n"))
        let rule = footer.first.flatMap { ClockZoneRule(String(decoding: $0, as: UTF8.self)) }
        return (changes, firstOffset, rule)
    }

    private mutating func header() -> (version: UInt8, counts: Counts)? {
        guard position + 44 <= bytes.count else { return nil }
        let version = bytes[position + 4]
        position += 20
        let counts = (0..<6).map { _ in number(4) }
        guard counts.allSatisfy({ 0...bytes.count ~= $0 }), counts[4] > 0 else { return nil }
        return (
            version,
            Counts(
                utc: counts[0], standard: counts[1], leaps: counts[2], times: counts[3],
                types: counts[4], letters: counts[5])
        )
    }

    /// Reads a block, and goes to its end.
    private mutating func block(_ counts: Counts, timeSize: Int) -> (
        changes: [(at: Int, offset: Int)], firstOffset: Int
    )? {
        let end = position + counts.length(timeSize: timeSize)
        guard end <= bytes.count else { return nil }
        let times = (0..<counts.times).map { _ in number(timeSize) }
        let types = (0..<counts.times).map { _ in number(1) & 0xFF }
        let offsets = (0..<counts.types).map { _ in
            defer { position += 2 }
            return number(4)
        }
        position = end
        guard types.allSatisfy({ $0 < offsets.count }),
            offsets.allSatisfy({ -ClockZone.day..<ClockZone.day ~= $0 })
        else { return nil }
        return (zip(times, types).map { ($0, offsets[$1]) }, offsets[0])
    }

    /// Reads a signed number of `size` bytes.
    private mutating func number(_ size: Int) -> Int {
        var number = Int(Int8(bitPattern: bytes[position]))
        for byte in bytes[position + 1..<position + size] { number = number << 8 | Int(byte) }
        position += size
        return number
    }
}
