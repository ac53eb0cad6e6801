/// Parses and formats durations as text: `250ms`, `30s`, `5m`, `1h30m`. The protocol, the configuration and the tools use
/// this format.
public enum DurationText {
    /// The units in descending order. A text has them in this order, each at most once.
    private static let units: [(name: String, ms: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// The longest duration, in milliseconds: ten calendar years, 3 653 days. The longest duration of a timer is the same.
    private static let longest: Int64 = 3653 * 86_400_000

    /// Parses a duration; nil if the text is invalid, or if the duration is longer than ten years, which is `longest`.
    public static func read(_ text: String) -> Duration? {
        guard let total = total(text), total <= longest else { return nil }
        return .milliseconds(total)
    }

    /// Says what is expected in place of a text that `read` or `readSigned` does not accept: the form, or the longest duration.
    public static func expectation(insteadOf text: String) -> String {
        isTooLong(text) ? "a duration of at most 10 years" : "a duration such as 90s or 1h30m"
    }

    /// Whether the text has the form of a duration, which may be negative, and is longer than `longest`.
    public static func isTooLong(_ text: String) -> Bool {
        let unsigned = text.hasPrefix("-") ? String(text.dropFirst()) : text
        return total(unsigned).map { $0 > longest } ?? false
    }

    /// The milliseconds of a text that has the form of a duration; a number above `longest` if they do not fit. Nil for any other
    /// text.
    private static func total(_ text: String) -> Int64? {
        var unread = Substring(text)
        // The units that may follow: a slice, which has the indices of `units`.
        var smallerUnits = units[...]
        var total: Int64 = 0
        while !unread.isEmpty {
            let digits = unread.prefix { ("0"..."9").contains($0) }
            guard !digits.isEmpty else { return nil }
            // Fifteen digits are enough for each duration up to `longest` in each unit.
            let number = digits.utf8.count <= 15 ? Int64(digits) : nil
            unread = unread.dropFirst(digits.count)
            let name = unread.prefix { ("a"..."z").contains($0) }
            unread = unread.dropFirst(name.count)
            guard let index = smallerUnits.firstIndex(where: { $0.name == name }) else {
                return nil
            }
            let product = number?.multipliedReportingOverflow(by: units[index].ms)
            // At most five units follow each other, so that the sum of such numbers does not overflow.
            let isInRange = product.map { !$0.overflow && $0.partialValue <= longest } ?? false
            total += isInRange ? product?.partialValue ?? 0 : longest + 1
            smallerUnits = units[(index + 1)...]
        }
        return text.isEmpty ? nil : total
    }

    /// Parses a duration that may be negative: `-5s`. Nil as for `read`.
    public static func readSigned(_ text: String) -> Duration? {
        text.hasPrefix("-") ? read(String(text.dropFirst())).map { .zero - $0 } : read(text)
    }

    /// Formats a duration that may be negative as `readSigned` parses it, rounded up: `-5s`.
    public static func writeSigned(_ duration: Duration) -> String {
        guard duration <= .milliseconds(-1) else { return write(duration) }
        let (seconds, attoseconds) = (.zero - max(duration, .seconds(-9_000_000_000))).components
        return "-" + write(.milliseconds(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Formats a duration in whole milliseconds, rounded up: `1h30m`, `250ms`, `0s`. Saturates at
    /// about 285 years.
    public static func write(_ duration: Duration) -> String {
        var ms = milliseconds(duration)
        guard ms > 0 else { return "0s" }
        var text = ""
        for unit in units where ms >= unit.ms {
            text += "\(ms / unit.ms)\(unit.name)"
            ms %= unit.ms
        }
        return text
    }

    /// Formats a duration for sentences, rounded down: `200 days`, `36 hours`. The unit is the largest that gives at least 2.
    /// Less than ten seconds have a decimal, if it is not 0: `1.5 seconds`.
    public static func words(_ duration: Duration) -> String {
        let ms = milliseconds(duration)
        let nouns: [(name: String, ms: Int64)] = [
            ("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000),
        ]
        if let noun = nouns.first(where: { ms >= 2 * $0.ms }) {
            return CountText.write(Int(ms / noun.ms), noun.name)
        }
        let tenths = ms / 100
        guard tenths < 100, tenths % 10 != 0 else {
            return CountText.write(Int(tenths / 10), "second")
        }
        return "\(tenths / 10).\(tenths % 10) seconds"
    }

    /// Formats a duration as clocks show it: `11:58`, from an hour on `1:00:00`, and below zero `−0:05`. It is rounded up to
    /// whole seconds, so that a countdown shows 0:01 until it fires. The sign of a negative duration is U+2212, the minus sign.
    public static func clock(milliseconds: Int) -> String {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let seconds = quotient + (remainder > 0 ? 1 : 0)
        let magnitude = seconds.magnitude
        let (hours, minutes) = (magnitude / 3600, magnitude / 60 % 60)
        let rest = twoDigits(magnitude % 60)
        let text = hours > 0 ? "\(hours):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
        return seconds < 0 ? "\u{2212}\(text)" : text
    }

    private static func twoDigits(_ number: UInt) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The duration in milliseconds, rounded up; 0 if it is negative.
    private static func milliseconds(_ duration: Duration) -> Int64 {
        guard duration > .zero else { return 0 }
        // `components` traps if the seconds do not fit into 64 bits.
        let (seconds, attoseconds) = min(duration, .seconds(9_000_000_000)).components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
