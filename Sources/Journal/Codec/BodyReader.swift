internal import GameFlow
internal import Sessions
internal import Timers

/// Decodes the body of a row. The bytes are untrusted, because they may be damaged or manipulated:
/// invalid bytes cause an error with a reason.
///
/// One reader decodes many bodies, and caches what they have in common.
struct BodyReader {
    /// The body; valid only while it is read.
    private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private var next = 0
    private var end = 0
    /// The first strings of the body, which later ones can refer to.
    private var strings: [String] = []
    /// How many of them belong to this body; the others remain from earlier bodies.
    private var stringCount = 0
    private var names = NameCache()
    private var steps = StepCache()

    /// Lets `read` read the bytes of one body.
    mutating func read<T>(
        _ body: UnsafeBufferPointer<UInt8>,
        _ read: (inout BodyReader) throws(UnreadableRow) -> T
    ) throws(UnreadableRow) -> T {
        (bytes, next, end) = (body, 0, body.count)
        stringCount = 0
        defer { (bytes, next, end) = (UnsafeBufferPointer(start: nil, count: 0), 0, 0) }
        return try read(&self)
    }

    var isAtEnd: Bool { next >= end }
    private var left: Int { end - next }

    mutating func byte() throws(UnreadableRow) -> UInt8 {
        guard next < end else { throw UnreadableRow(why: "its body ends too early") }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func unsigned() throws(UnreadableRow) -> UInt64 {
        // Most numbers take one byte.
        if next < end, bytes[next] < 0x80 {
            defer { next += 1 }
            return UInt64(bytes[next])
        }
        return try longUnsigned()
    }

    private mutating func longUnsigned() throws(UnreadableRow) -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while next < end {
            let byte = bytes[next]
            next += 1
            // The tenth byte has one significant bit.
            guard shift < 63 || byte <= 1 else {
                throw UnreadableRow(why: "a number of more than 64 bits")
            }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        throw UnreadableRow(why: "its body ends too early")
    }

    mutating func signed() throws(UnreadableRow) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1 ^ (0 &- (number & 1)))
    }

    /// A count: not negative, and small enough that adding to it cannot overflow.
    mutating func count(_ name: @autoclosure () -> String) throws(UnreadableRow) -> Int {
        let number = try unsigned()
        guard number <= UInt64(JournalRow.most) else {
            throw UnreadableRow(why: "\(name()): out of range")
        }
        return Int(number)
    }

    /// The number of elements that follow; each takes at least one byte.
    mutating func length() throws(UnreadableRow) -> Int {
        let number = try unsigned()
        guard number <= UInt64(left) else { throw UnreadableRow(why: "its body ends too early") }
        return Int(number)
    }

    mutating func string() throws(UnreadableRow) -> String {
        let head = try unsigned()
        let number = head >> 1
        guard head & 1 == 0 else {
            guard number < UInt64(stringCount) else {
                throw UnreadableRow(why: "it refers to a text that is not there")
            }
            return strings[Int(number)]
        }
        guard number <= UInt64(left) else { throw UnreadableRow(why: "its body ends too early") }
        let after = next + Int(number)
        let own = UnsafeBufferPointer(rebasing: bytes[next..<after])
        next = after
        // In most cases it equals the string with the same index in the preceding body.
        if stringCount < strings.count, strings[stringCount].hasBytes(own) {
            stringCount += 1
            return strings[stringCount - 1]
        }
        guard let text = names.text(own) else { throw UnreadableRow(why: "a text is no UTF-8") }
        if stringCount < BodyWriter.rememberedStrings { remember(text) }
        return text
    }

    private mutating func remember(_ text: String) {
        if stringCount < strings.count {
            strings[stringCount] = text
        } else {
            strings.append(text)
        }
        stringCount += 1
    }

    /// An instant in the range of the clock.
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

    /// Begins a field with parts. Returns the end of the body, for `endParts`.
    mutating func beginParts() throws(UnreadableRow) -> Int {
        let length = try length()
        defer { end = next + length }
        return end
    }

    /// Ends a field with parts; throws unless all of them have been read.
    mutating func endParts(_ whole: Int) throws(UnreadableRow) {
        guard isAtEnd else { throw UnreadableRow(why: "a field is longer than what it has") }
        end = whole
    }

    /// The rest of a field, decoded as a step. A step that was decoded before is taken from the
    /// cache.
    mutating func rememberedStep(_ read: (inout BodyReader) throws(UnreadableRow) -> Step)
        throws(UnreadableRow) -> RecordedStep
    {
        let field = UnsafeBufferPointer(rebasing: bytes[next..<end])
        if let known = steps.find(field, after: strings[..<stringCount]) {
            for text in known.added { remember(text) }
            next = end
            return known.step
        }
        let before = Array(strings[..<stringCount])
        let step = RecordedStep(try read(&self))
        // Bytes after the step are damage, which the caller reports.
        if isAtEnd {
            let added = Array(strings[before.count..<stringCount])
            steps.remember(step, field, after: before, adding: added)
        }
        return step
    }
}
