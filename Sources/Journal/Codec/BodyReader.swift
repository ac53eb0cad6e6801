internal import GameFlow
internal import Sessions
internal import Timers

/// Reads the bytes of a row's body. Any of them may be damaged, or an enemy's: what does not fit is an error
/// with a reason.
///
/// One reader reads many bodies, and remembers what they have in common.
struct BodyReader {
    /// The body; valid only while it is read.
    private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private var next = 0
    private var end = 0
    /// The first texts of the body, to which later ones refer.
    private var strings: [String] = []
    /// How many of these are of this body; the others are left of bodies before it.
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
        // Most numbers are of one byte.
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
            // The tenth byte has one bit left.
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
            guard number < UInt64(stringCount) else {
                throw UnreadableRow(why: "it refers to a text that is not there")
            }
            return strings[Int(number)]
        }
        guard number <= UInt64(left) else { throw UnreadableRow(why: "its body ends too early") }
        let after = next + Int(number)
        let own = UnsafeBufferPointer(rebasing: bytes[next..<after])
        next = after
        // Mostly it is what stood at its place in the body before.
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

    /// Begins a field with parts; where the body ends, for `endParts`.
    mutating func beginParts() throws(UnreadableRow) -> Int {
        let length = try length()
        defer { end = next + length }
        return end
    }

    /// Ends a field with parts, all of which must have been read.
    mutating func endParts(_ whole: Int) throws(UnreadableRow) {
        guard isAtEnd else { throw UnreadableRow(why: "a field is longer than what it has") }
        end = whole
    }

    /// What is left of a field, as a step: one that was read before is not read again.
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
        // Bytes behind the step are damage, and told as such by who reads the field.
        if isAtEnd {
            let added = Array(strings[before.count..<stringCount])
            steps.remember(step, field, after: before, adding: added)
        }
        return step
    }
}
