/// Reads times of day: `20:00`, or with seconds `20:00:30`.
enum TimeOfDay {
    /// Returns a time of day in the form in which it is stored: with two digits for the hour, and without seconds if they are 0.
    /// Two times in this form are in the order of their bytes. Nil if the text is not a time of day.
    static func canonical(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), (1...2).contains(parts[0].count),
            parts.dropFirst().allSatisfy({ $0.count == 2 })
        else { return nil }
        let numbers = parts.compactMap(number)
        guard numbers.count == parts.count, numbers[0] < 24, numbers[1] < 60 else { return nil }
        let hoursAndMinutes = "\(twoDigits(numbers[0])):\(twoDigits(numbers[1]))"
        guard numbers.count == 3, numbers[2] != 0 else { return hoursAndMinutes }
        return numbers[2] < 60 ? "\(hoursAndMinutes):\(twoDigits(numbers[2]))" : nil
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
