internal import Support
internal import Timers

/// Finds plain values that people mean as something else than gamed reads. They are warnings, because the file can be used.
enum MistakableText {
    /// Whether the text is a whole number that begins with 0, such as a code: `0451`.
    static func hasLeadingZero(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return digits.count > 1 && digits.first == UInt8(ascii: "0") && digits.allSatisfy(isDigit)
    }

    /// Returns what to write in place of a text that looks like a time, a number, a date or a boolean, and that gamed reads as a text. Nil
    /// for any other text. The result is a clause before "or quotes for a text".
    static func replacement(of text: String) -> String? {
        if let duration = durationOfClock(text) {
            let time =
                TimeOfDay(text) == nil
                ? "" : ", {type: time, default: '\(text)'} for a time of day"
            return "\(duration) for a duration\(time)"
        }
        if DurationText.isTooLong(text) { return "a duration of at most 10 years" }
        if text.hasPrefix("-"), DurationText.readSigned(text) != nil {
            let end = text.dropFirst()
            return "{type: duration -\(end)..\(end), default: \(text)} for a duration"
        }
        let duration = durationOfUnit(text) ?? durationOfFraction(text) ?? durationWithoutUnit(text)
        if let duration {
            return DurationText.isTooLong(duration)
                ? "a duration of at most 10 years" : "\(duration) for a duration"
        }
        if ["true", "false"].contains(text.lowercased()) {
            return "\(text.lowercased()) for a boolean"
        }
        return isNumber(text) || isDate(text)
            ? "a whole number such as 5, a duration such as 90s" : nil
    }

    /// Returns the duration of a text such as `1:30` (minutes and seconds) or `1:30:00`.
    private static func durationOfClock(_ text: String) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count),
            parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) })
        else { return nil }
        let numbers = parts.compactMap { Int64($0) }
        let seconds = numbers.reduce(0) { $0 * 60 + $1 }
        return DurationText.write(.seconds(seconds))
    }

    /// The units that people write, and those of gamed.
    private static let units = [
        "sec": "s", "secs": "s", "second": "s", "seconds": "s", "s": "s", "ms": "ms",
        "min": "m", "mins": "m", "minute": "m", "minutes": "m", "m": "m", "h": "h", "hr": "h",
        "hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d",
    ]

    /// Returns the duration of a text such as `90 s` or `5min`.
    private static func durationOfUnit(_ text: String) -> String? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard !digits.isEmpty, digits.count <= 9, let unit = units[unit] else { return nil }
        return "\(digits)\(unit)"
    }

    /// Returns the duration of a text such as `1.5h`, in whole milliseconds.
    private static func durationOfFraction(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isDigit) else {
            return nil
        }
        let fraction = parts[1].prefix { $0.utf8.allSatisfy(isDigit) }
        guard 1...6 ~= fraction.utf8.count,
            let unit = durationOfUnit("1" + parts[1].dropFirst(fraction.count)),
            let one = DurationText.read(unit), let numerator = Int(fraction)
        else { return nil }
        let denominator = fraction.reduce(1) { product, _ in product * 10 }
        let part = one * numerator / denominator
        guard let whole = DurationText.read("\(parts[0])\(unit.dropFirst())") else { return nil }
        return DurationText.write(whole + part)
    }

    /// Returns the duration of a text whose last number has no unit, such as `5m30`.
    private static func durationWithoutUnit(_ text: String) -> String? {
        ["h", "m", "s", "ms"].map { text + $0 }.first { DurationText.read($0) != nil }
    }

    /// Whether the text is a number in a form that gamed does not read: `1_000`, `1.5`, `0x1F`, `1e3`, `.inf`.
    private static func isNumber(_ text: String) -> Bool {
        let text = text.lowercased()
        let sign = text.hasPrefix("-") || text.hasPrefix("+") ? 1 : 0
        let unsigned = text.dropFirst(sign)
        if [".inf", ".nan"].contains(unsigned) { return true }
        if ["0x", "0o", "0b"].contains(unsigned.prefix(2)) {
            return unsigned.count > 2
                && unsigned.dropFirst(2).allSatisfy { $0.isHexDigit || $0 == "_" }
        }
        let parts = unsigned.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        let exponent = parts.count == 2 ? parts[1].drop { $0 == "-" || $0 == "+" } : "0"
        guard !exponent.isEmpty, exponent.utf8.allSatisfy(isDigit) else { return false }
        return parts[0].utf8.contains(where: isDigit)
            && parts[0].utf8.allSatisfy { isDigit($0) || "_.,".utf8.contains($0) }
    }

    /// Whether the text begins with a date such as `2026-11-25`.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.prefix(10).split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [4, 2, 2] && parts.allSatisfy { $0.allSatisfy(isDigit) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
