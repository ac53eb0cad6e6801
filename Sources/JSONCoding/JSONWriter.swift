public import GameFlow
public import Support

/// Writes JSON into a growing buffer that is reused.
///
/// The writer adds commas where they are needed.
public struct JSONWriter: ~Copyable {
    @usableFromInline var out: GrowingBuffer<UInt8>

    /// `init` and `shrink` allocate at least this many bytes.
    private static let smallestCapacity = 64

    public init(capacity: Int = 1024) {
        out = GrowingBuffer<UInt8>(capacity: max(capacity, Self.smallestCapacity))
    }

    // MARK: the written bytes

    /// The number of written bytes.
    public var count: Int { out.count }

    /// Calls `body` with the written bytes, which are valid only during the call.
    public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try out.withElements { try body(UnsafeRawBufferPointer($0)) }
    }

    /// A copy of the written bytes.
    public var bytes: [UInt8] { out.withElements { [UInt8]($0) } }

    /// A copy of the written bytes from offset `start`.
    public func bytes(from start: Int) -> [UInt8] { out.withElements(from: start) { [UInt8]($0) } }

    /// Whether the next byte begins a line.
    public var isAtLineStart: Bool {
        out.count == 0 || out.memory[out.count - 1] == UInt8(ascii: "\n")
    }

    /// Removes the bytes from offset `length`; the memory is kept.
    public mutating func truncate(to length: Int) { out.truncate(to: length) }

    /// Removes bytes from the beginning.
    public mutating func removeFirst(_ count: Int) { out.removeFirst(count) }

    /// Reduces the memory to `size` bytes, if the written bytes fit.
    public mutating func shrink(to size: Int) {
        out.shrink(to: max(size, Self.smallestCapacity))
    }

    /// The bytes that `write` writes into a new writer.
    public static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        write(&writer)
        return writer.bytes
    }

    // MARK: pieces

    /// Appends text without any escapes or commas.
    @inlinable @inline(__always) public mutating func raw(_ piece: StaticString) {
        let count = piece.utf8CodeUnitCount
        out.reserve(count)
        (out.memory + out.count).update(from: piece.utf8Start, count: count)
        out.count += count
    }

    /// Appends bytes without any escapes or commas.
    @inlinable @inline(__always) public mutating func raw(_ piece: [UInt8]) {
        piece.withUnsafeBufferPointer { out.append($0) }
    }

    /// Appends a part of bytes without any escapes or commas: from offset `start` to before `end`.
    public mutating func raw(_ piece: [UInt8], from start: Int = 0, to end: Int = .max) {
        piece.withUnsafeBufferPointer {
            let range = min(max(0, start), $0.count)..<max(min(end, $0.count), start)
            out.append(UnsafeBufferPointer(rebasing: $0[range]))
        }
    }

    /// Ends a line.
    public mutating func newline() { out.append(UInt8(ascii: "\n")) }
}

/// Writes values. Each method first adds a comma if one is needed.
extension JSONWriter {
    @inlinable public mutating func beginObject() { open(UInt8(ascii: "{")) }
    @inlinable public mutating func endObject() { out.append(UInt8(ascii: "}")) }
    @inlinable public mutating func beginArray() { open(UInt8(ascii: "[")) }
    @inlinable public mutating func endArray() { out.append(UInt8(ascii: "]")) }

    /// Writes a member's name, which must not need escapes. The value must follow.
    @inlinable @inline(__always) public mutating func name(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        // A comma, two quotes and a colon.
        out.reserve(count + 4)
        // The pointer is moved in a register; each `append` would check the capacity and store the length again.
        var pointer = out.memory + out.count
        if needsComma {
            pointer.pointee = UInt8(ascii: ",")
            pointer += 1
        }
        pointer.pointee = UInt8(ascii: "\"")
        (pointer + 1).update(from: name.utf8Start, count: count)
        pointer += count + 1
        pointer[0] = UInt8(ascii: "\"")
        pointer[1] = UInt8(ascii: ":")
        out.count = pointer + 2 - out.memory
    }

    /// Writes a member's name that is not a literal. This method is not called `name` too, because
    /// the compiler would then choose the overload with `String` for a literal.
    public mutating func key(_ name: String) {
        string(name)
        out.append(UInt8(ascii: ":"))
    }

    public mutating func null() {
        separate()
        raw("null")
    }

    public mutating func bool(_ value: Bool) {
        separate()
        if value { raw("true") } else { raw("false") }
    }

    public mutating func int(_ value: Int) {
        // The longest number has 20 bytes, and a comma may precede it.
        out.reserve(21)
        if needsComma {
            out.memory[out.count] = UInt8(ascii: ",")
            out.count += 1
        }
        digits(value)
    }

    /// Writes a string without looking for characters that need escapes. The caller ensures that there are none.
    public mutating func plain(_ value: String) { quoted(value) { _ in true } }

    public mutating func string(_ value: String) { quoted(value, JSONString.isPlain) }

    @inline(__always) private mutating func quoted(
        _ value: String, _ isPlain: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        separate()
        let text = value.utf8Span.span
        text.withUnsafeBufferPointer { text in
            out.reserve(text.count + 2)
            out.append(UInt8(ascii: "\""))
            if isPlain(text) {
                out.append(text)
            } else {
                for byte in text { appendEscaped(byte) }
            }
            out.append(UInt8(ascii: "\""))
        }
    }

    /// Writes an array of strings.
    public mutating func strings(_ values: [String]) {
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    /// Writes a value that is JSON already.
    @inlinable @inline(__always) public mutating func json(_ value: [UInt8]) {
        separate()
        raw(value)
    }

    public mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .unfit(_, let raw):
            separate()
            self.raw(Array(raw.utf8))
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .string(let value): string(value)
        case .array(let values):
            beginArray()
            for value in values { self.value(value) }
            endArray()
        case .object(let members): object(members)
        }
    }

    public mutating func object(_ members: [Member]) {
        beginObject()
        for member in members {
            key(member.name)
            value(member.value)
        }
        endObject()
    }

    /// Adds a comma, unless the next value is the first in its container, follows a member's name or a space, or begins a
    /// line.
    @inlinable @inline(__always) public mutating func separate() {
        if needsComma { out.append(UInt8(ascii: ",")) }
    }

    @inlinable @inline(__always) var needsComma: Bool {
        guard out.count > 0 else { return false }
        switch out.memory[out.count - 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"),
            UInt8(ascii: " "):
            return false
        default: return true
        }
    }

    /// Begins an array or an object.
    @usableFromInline mutating func open(_ bracket: UInt8) {
        separate()
        out.append(bracket)
    }

    /// Writes a byte of a string, as an escape if one is needed.
    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        case 0..<0x20:
            raw("\\u00")
            appendHexDigit(byte >> 4)
            appendHexDigit(byte & 0xF)
        default: out.append(byte)
        }
    }

    private mutating func appendHexDigit(_ digit: UInt8) {
        out.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    /// Writes the digits of a number, without a comma before it.
    public mutating func digits(_ value: Int) {
        // The longest number has 20 bytes.
        out.reserve(20)
        if value < 0 { out.append(UInt8(ascii: "-")) }
        var remaining = value.magnitude
        // The digits are computed from the last digit backwards.
        out.count += Self.digitCount(remaining)
        var offset = out.count
        while remaining >= 100 {
            let (quotient, pair) = (remaining / 100, remaining % 100)
            offset -= 2
            (out.memory + offset).update(from: Self.pairs + 2 * Int(pair), count: 2)
            remaining = quotient
        }
        if remaining >= 10 {
            (out.memory + offset - 2).update(from: Self.pairs + 2 * Int(remaining), count: 2)
        } else {
            out.memory[offset - 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remaining)
        }
    }

    /// The numbers from 0 to 99, with two digits each.
    private static var pairs: UnsafePointer<UInt8> {
        let digits: StaticString =
            "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
        return digits.utf8Start
    }

    private static func digitCount(_ value: UInt) -> Int {
        var (count, remaining) = (1, value)
        while remaining >= 10_000 {
            remaining /= 10_000
            count += 4
        }
        return remaining < 10
            ? count : remaining < 100 ? count + 1 : remaining < 1000 ? count + 2 : count + 3
    }

    /// Writes the last two digits of a number, also if they are zeros, without a comma before them. The number must not be
    /// negative.
    public mutating func twoDigits(_ value: Int) {
        out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
        out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}
