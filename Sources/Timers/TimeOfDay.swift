/// A time of day, as a wall clock shows it: `20:00`, or with seconds `20:00:30`.
public struct TimeOfDay: Hashable, Sendable, CustomStringConvertible {
    /// The number of seconds from 00:00, as if the day had 24 hours.
    public let second: Int

    /// - Precondition: `hour` is from 0 to 23, `minute` and `second` from 0 to 59.
    public init(hour: Int, minute: Int = 0, second: Int = 0) {
        precondition(0..<24 ~= hour && 0..<60 ~= minute && 0..<60 ~= second, "a time of day")
        self.second = (hour * 60 + minute) * 60 + second
    }

    /// Reads a time of day; nil if the text is not a time of day. The hour has one digit or two, minutes and seconds have two.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), (1...2).contains(parts[0].count),
            parts.dropFirst().allSatisfy({ $0.count == 2 })
        else { return nil }
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == parts.count, numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        self.init(hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
    }

    /// With two digits for the hour, and without seconds if they are 0. Two times in this form are in the order of their bytes.
    public var description: String {
        let minute = second / 60
        let text = "\(Self.twoDigits(minute / 60)):\(Self.twoDigits(minute % 60))"
        return second % 60 == 0 ? text : "\(text):\(Self.twoDigits(second % 60))"
    }

    /// The time of day that follows a number of seconds after 00:00; nil unless it is less than a day.
    package init?(second: Int) {
        guard 0..<86_400 ~= second else { return nil }
        self.second = second
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        var number = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
