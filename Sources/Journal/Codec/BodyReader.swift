internal import GameFlow
internal import Timers

/// Reads the bytes of a row's body. Any of them may be damaged, or an enemy's: what does not fit is an error
/// with a reason.
struct BodyReader {
    private let bytes: ArraySlice<UInt8>
    private var next: Int
    private var end: Int
    private var strings: [String] = []

    init(_ bytes: ArraySlice<UInt8>) {
        (self.bytes, next, end) = (bytes, bytes.startIndex, bytes.endIndex)
    }

    var isAtEnd: Bool { next >= end }
    private var left: Int { end - next }

    mutating func byte() throws(UnreadableRow) -> UInt8 {
        guard next < end else { throw UnreadableRow(why: "its body ends too early") }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func unsigned() throws(UnreadableRow) -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = try byte()
            // The tenth byte has one bit left.
            guard shift < 63 || byte <= 1 else {
                throw UnreadableRow(why: "a number of more than 64 bits")
            }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
    }

    mutating func signed() throws(UnreadableRow) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1 ^ (0 &- (number & 1)))
    }

    /// What is counted: far from where adding one would overflow.
    mutating func count(_ name: @autoclosure () -> String) throws(UnreadableRow) -> Int {
        let number = try unsigned()
        guard number <= UInt64(JournalRow.most) else {
            throw UnreadableRow(why: "\(name()): out of range")
        }
        return Int(number)
    }

    /// How many things follow, each of which takes a byte at least.
    mutating func length() throws(UnreadableRow) -> Int {
        let number = try unsigned()
        guard number <= UInt64(left) else { throw UnreadableRow(why: "its body ends too early") }
        return Int(number)
    }

    mutating func string() throws(UnreadableRow) -> String {
        let head = try unsigned()
        let number = head >> 1
        guard head & 1 == 0 else {
            guard number < UInt64(strings.count) else {
                throw UnreadableRow(why: "it refers to a text that is not there")
            }
            return strings[Int(number)]
        }
        guard number <= UInt64(left) else { throw UnreadableRow(why: "its body ends too early") }
        let after = next + Int(number)
        guard let text = String(validating: bytes[next..<after], as: UTF8.self) else {
            throw UnreadableRow(why: "a text is no UTF-8")
        }
        next = after
        if strings.count < BodyWriter.rememberedStrings { strings.append(text) }
        return text
    }

    /// An instant that a clock can have shown.
    mutating func instant(_ name: @autoclosure () -> String) throws(UnreadableRow) -> Instant {
        let instant = Instant(nanoseconds: try signed())
        guard Instant.zero...Instant.last ~= instant else {
            throw UnreadableRow(why: "\(name()): expected an instant")
        }
        return instant
    }

    // MARK: fields

    /// The next field; nil at the end.
    mutating func field() throws(UnreadableRow) -> (field: BodyField, hasParts: Bool)? {
        if isAtEnd { return nil }
        let head = try unsigned()
        guard let number = Int(exactly: head >> 1), let field = BodyField(rawValue: number) else {
            throw UnreadableRow(why: "field \(head >> 1) is of another version")
        }
        return (field, head & 1 == 1)
    }

    /// A field with parts, which must be all that it has.
    mutating func parts<T>(_ read: (inout BodyReader) throws(UnreadableRow) -> T)
        throws(UnreadableRow) -> T
    {
        let length = try length()
        let whole = end
        end = next + length
        let value = try read(&self)
        guard isAtEnd else { throw UnreadableRow(why: "a field is longer than what it has") }
        end = whole
        return value
    }
}
