public import GameFlow

/// Values, each with the comma that it needs.
extension JSONWriter {
    @inlinable public mutating func beginObject() { open(UInt8(ascii: "{")) }
    @inlinable public mutating func endObject() { put(UInt8(ascii: "}")) }
    @inlinable public mutating func beginArray() { open(UInt8(ascii: "[")) }
    @inlinable public mutating func endArray() { put(UInt8(ascii: "]")) }

    /// A member's name, which needs no escapes; its value comes next.
    @inlinable @inline(__always) public mutating func name(_ name: StaticString) {
        reserve(name.utf8CodeUnitCount + 4)
        separate()
        put(UInt8(ascii: "\""))
        raw(name)
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
    }

    /// A member's name that is not known beforehand. Called otherwise than `name`: of two that take a
    /// literal, the compiler would choose this one.
    public mutating func key(_ name: String) {
        string(name)
        put(UInt8(ascii: ":"))
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
        separate()
        digits(value)
    }

    /// A string that needs no escapes, as its maker knows: a name of the program's own.
    public mutating func plain(_ value: String) { quoted(value) { _ in true } }

    public mutating func string(_ value: String) { quoted(value, JSONString.isPlain) }

    @inline(__always) private mutating func quoted(
        _ value: String, _ isPlain: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        separate()
        var value = value
        value.withUTF8 { text in
            reserve(text.count + 2)
            put(UInt8(ascii: "\""))
            if isPlain(text) {
                append(text)
            } else {
                for byte in text { escaped(byte) }
            }
            put(UInt8(ascii: "\""))
        }
    }

    /// An array of strings.
    public mutating func strings(_ values: [String]) {
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    /// A value that is JSON already.
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

    /// Begins a value or a member: writes a comma, unless it is the first in its container or follows its name.
    @inlinable @inline(__always) public mutating func separate() {
        guard end > 0 else { return }
        switch memory[end - 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), 0x0A, 0x20: return
        default: put(UInt8(ascii: ","))
        }
    }

    @usableFromInline mutating func open(_ bracket: UInt8) {
        separate()
        put(bracket)
    }

    private mutating func escaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        case 0..<0x20:
            raw("\\u00")
            hexDigit(byte >> 4)
            hexDigit(byte & 15)
        default: put(byte)
        }
    }

    private mutating func hexDigit(_ digit: UInt8) {
        put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    /// A number's digits, without a comma before them.
    public mutating func digits(_ value: Int) {
        // Room for the number, and behind it for the digits, which are found from the last one on.
        let longest = 20
        reserve(2 * longest)
        if value < 0 { put(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let stop = end + 2 * longest - 1
        var at = stop
        while rest >= 100 {
            let (quotient, pair) = (rest / 100, rest % 100)
            at -= 2
            memory[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: pair / 10)
            memory[at + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: pair % 10)
            rest = quotient
        }
        at -= 1
        memory[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        if rest >= 10 {
            at -= 1
            memory[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 10)
        }
        (memory + end).update(from: memory + at, count: stop - at)
        end += stop - at
    }

    /// The last two digits of a number, padded with zeros.
    public mutating func twoDigits(_ value: Int) {
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}
