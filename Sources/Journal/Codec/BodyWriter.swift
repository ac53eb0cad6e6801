/// Encodes the body of a row: variable-length integers, and strings that are written once per body.
struct BodyWriter {
    private(set) var bytes: [UInt8] = []
    /// The first strings of the body, which later ones can refer to.
    private var strings: [String] = []

    /// How many strings of a body later ones can refer to.
    static let rememberedStrings = 32

    init() { bytes.reserveCapacity(256) }

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Seven bits per byte, lowest first; the highest bit of the last byte is 0.
    mutating func unsigned(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number that is not negative; a negative one is written as 0.
    mutating func count(_ number: Int) { unsigned(UInt64(max(0, number))) }

    /// A signed number in zigzag encoding, so that small numbers of either sign are short: 0, -1,
    /// 1, -2, …
    mutating func signed(_ number: Int64) {
        unsigned(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// Twice its length, and its bytes; or, for a string that was written before, twice its index
    /// plus 1.
    mutating func string(_ text: String) {
        let length = text.utf8.count
        if let place = strings.firstIndex(where: { $0.utf8.count == length && Self.same($0, text) })
        {
            return unsigned(UInt64(place) << 1 | 1)
        }
        if strings.count < Self.rememberedStrings { strings.append(text) }
        unsigned(UInt64(length) << 1)
        bytes.append(contentsOf: text.utf8)
    }

    /// Whether two strings have the same bytes: Swift's equal strings may have different ones.
    private static func same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

    // MARK: fields

    /// A numeric field.
    mutating func field(_ field: BodyField, _ number: UInt64) {
        unsigned(UInt64(field.rawValue) << 1)
        unsigned(number)
    }

    mutating func field(_ field: BodyField, count number: Int) {
        self.field(field, UInt64(max(0, number)))
    }

    mutating func field(_ field: BodyField, signed number: Int64) {
        unsigned(UInt64(field.rawValue) << 1)
        signed(number)
    }

    /// A flag: the field is present if the flag is true.
    mutating func field(_ field: BodyField, if isSo: Bool) { if isSo { self.field(field, 1) } }

    /// A field with parts, preceded by its length.
    mutating func field(_ field: BodyField, _ write: (inout BodyWriter) -> Void) {
        unsigned(UInt64(field.rawValue) << 1 | 1)
        let start = bytes.count
        bytes.append(0)
        write(&self)
        let length = bytes.count - start - 1
        bytes[start] = UInt8(truncatingIfNeeded: length)
        guard length > 0x7F else { return }
        var head = BodyWriter()
        head.unsigned(UInt64(length))
        bytes.replaceSubrange(start...start, with: head.bytes)
    }

    mutating func field(_ field: BodyField, _ text: String) {
        self.field(field) { $0.string(text) }
    }
}
