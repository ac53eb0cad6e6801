internal import GameFlow

/// Evaluates a number in decimal: 5, 5.0, 50e-1 and 5e0 are the same integer. Nothing is rounded,
/// while a double would round 4.00000000000000000001 to an integer.
enum JSONNumber {
    /// The value of a number that the scanner has checked. If the number is whole and within ±(2^53 − 1), the value is an
    /// integer. Otherwise it is an unfit value.
    static func value(of bytes: UnsafeBufferPointer<UInt8>) -> Value {
        if let integer = shortInteger(bytes) { return .int(integer) }
        let text = Array(bytes)[...]
        var digits: [UInt8] = []
        var exponent = 0
        var isNegative = false
        var hasPoint = false
        var unread = text
        if unread.first == UInt8(ascii: "-") {
            isNegative = true
            unread.removeFirst()
        }
        while let byte = unread.popFirst() {
            switch byte {
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += Self.exponent(of: unread)
                unread = []
            default:
                digits.append(byte - UInt8(ascii: "0"))
                if hasPoint { exponent -= 1 }
            }
        }
        let raw = String(decoding: text, as: UTF8.self)
        return integer(digits, exponent, isNegative, raw)
    }

    /// The integer of a number that consists of at most 15 digits; nil for any other number. This form is by far the most
    /// frequent, and its integer is always less than 2^53.
    static func shortInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count <= 15 else { return nil }
        var number = 0
        for byte in text {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// The exponent that follows `e`, limited to ±1 000 000. Texts have fewer digits than that, so a larger exponent would not
    /// change the result.
    private static func exponent(of text: ArraySlice<UInt8>) -> Int {
        var exponent = 0
        for byte in text where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
            exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000)
        }
        return text.first == UInt8(ascii: "-") ? -exponent : exponent
    }

    /// The value of `digits` times ten to the power of `exponent`. `raw` is the number's text, for an unfit value.
    private static func integer(
        _ digits: [UInt8], _ exponent: Int, _ isNegative: Bool, _ raw: String
    ) -> Value {
        var significant = digits.drop { $0 == 0 }
        var exponent = exponent
        while significant.last == 0 {
            significant.removeLast()
            exponent += 1
        }
        if significant.isEmpty { return .int(0) }
        if exponent < 0 { return .unfit("not a whole number", raw: raw) }
        // 2^53 − 1 has 16 digits.
        guard significant.count + exponent <= 16 else {
            return .unfit("past ±(2^53 − 1)", raw: raw)
        }
        var number = significant.reduce(0) { $0 * 10 + Int($1) }
        for _ in 0..<exponent { number *= 10 }
        guard number <= Value.largest else { return .unfit("past ±(2^53 − 1)", raw: raw) }
        return .int(isNegative ? -number : number)
    }
}
