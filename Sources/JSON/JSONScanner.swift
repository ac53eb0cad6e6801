/// Parses a text in one pass, strictly by RFC 8259.
///
/// The recursion is limited by `JSONText.depthLimit`, so that no text exhausts the stack.
struct JSONScanner {
    var at = 0

    static func scan(_ text: Span<UInt8>, into nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        var scanner = JSONScanner()
        scanner.skipBlanks(text)
        try scanner.value(text, &nodes, depth: 0)
        scanner.skipBlanks(text)
        guard scanner.at == text.count else { throw scanner.malformed("text after the value") }
    }

    func malformed(_ why: String) -> JSONError { .malformed(why, at: at) }

    func byte(_ text: Span<UInt8>) -> UInt8 { at < text.count ? text[at] : 0 }

    private mutating func skipBlanks(_ text: Span<UInt8>) {
        while at < text.count {
            switch text[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    private mutating func value(
        _ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>, depth: Int
    ) throws(JSONError) {
        guard at < text.count else { throw malformed("a value is missing") }
        switch text[at] {
        case UInt8(ascii: "\""): try string(text, &nodes)
        case UInt8(ascii: "{"): try object(text, &nodes, depth: depth)
        case UInt8(ascii: "["): try array(text, &nodes, depth: depth)
        case UInt8(ascii: "t"): try literal("true", .bool, flag: true, text, &nodes)
        case UInt8(ascii: "f"): try literal("false", .bool, flag: false, text, &nodes)
        case UInt8(ascii: "n"): try literal("null", .null, flag: false, text, &nodes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(text, &nodes)
        default: throw malformed("an unexpected character")
        }
    }

    private mutating func literal(
        _ word: StaticString, _ kind: JSONText.Kind, flag: Bool, _ text: Span<UInt8>,
        _ nodes: inout GrowingBuffer<JSONText.Node>
    ) throws(JSONError) {
        let start = at
        for i in 0..<word.utf8CodeUnitCount {
            guard byte(text) == word.utf8Start[i] else { throw malformed("an invalid literal") }
            at += 1
        }
        append(kind, flag: flag, start, &nodes)
    }

    /// Appends a node that ends at the current position.
    func append(
        _ kind: JSONText.Kind, flag: Bool = false, _ start: Int,
        _ nodes: inout GrowingBuffer<JSONText.Node>
    ) {
        nodes.append(
            .init(
                kind: kind, flag: flag, start: Int32(start), end: Int32(at),
                next: Int32(nodes.count + 1)))
    }

    // MARK: containers

    /// Begins an array or object; returns its node, and whether it is empty and already closed.
    private mutating func open(
        _ kind: JSONText.Kind, _ close: UInt8, _ text: Span<UInt8>,
        _ nodes: inout GrowingBuffer<JSONText.Node>,
        depth: Int
    ) throws(JSONError) -> (node: Int, isEmpty: Bool) {
        guard depth < JSONText.depthLimit else { throw .tooDeep }
        append(kind, at, &nodes)
        at += 1
        skipBlanks(text)
        guard byte(text) == close else { return (nodes.count - 1, false) }
        closeContainer(nodes.count - 1, &nodes)
        return (nodes.count - 1, true)
    }

    private mutating func closeContainer(_ node: Int, _ nodes: inout GrowingBuffer<JSONText.Node>) {
        at += 1
        var closed = nodes[node]
        closed.end = Int32(at)
        closed.next = Int32(nodes.count)
        nodes[node] = closed
    }

    /// After an element: skips a comma and returns true, or returns false at the end of the
    /// container.
    private mutating func nextElement(_ close: UInt8, _ text: Span<UInt8>) throws(JSONError) -> Bool
    {
        skipBlanks(text)
        if byte(text) == close { return false }
        guard byte(text) == UInt8(ascii: ",") else {
            throw malformed("a comma or an end is missing")
        }
        at += 1
        skipBlanks(text)
        return true
    }

    private mutating func array(
        _ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>, depth: Int
    ) throws(JSONError) {
        let close = UInt8(ascii: "]")
        let (node, isEmpty) = try open(.array, close, text, &nodes, depth: depth)
        if isEmpty { return }
        repeat { try value(text, &nodes, depth: depth + 1) } while try nextElement(close, text)
        closeContainer(node, &nodes)
    }

    private mutating func object(
        _ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>, depth: Int
    ) throws(JSONError) {
        let close = UInt8(ascii: "}")
        let (node, isEmpty) = try open(.object, close, text, &nodes, depth: depth)
        if isEmpty { return }
        repeat {
            guard byte(text) == UInt8(ascii: "\"") else { throw malformed("a name is missing") }
            try string(text, &nodes)
            skipBlanks(text)
            guard byte(text) == UInt8(ascii: ":") else { throw malformed("a colon is missing") }
            at += 1
            skipBlanks(text)
            try value(text, &nodes, depth: depth + 1)
        } while try nextElement(close, text)
        closeContainer(node, &nodes)
        if DuplicateNames.exist(text, nodes, node) { throw malformed("a member is given twice") }
    }
}

/// Strings and numbers.
extension JSONScanner {
    mutating func string(_ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        at += 1
        let start = at
        var hasEscapes = false
        while true {
            skipPlain(text)
            guard at < text.count else { throw malformed("an unclosed string") }
            switch text[at] {
            case UInt8(ascii: "\""):
                append(.string, flag: hasEscapes, start, &nodes)
                at += 1
                return
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape(text)
            case 0..<0x20: throw malformed("a control byte in a string")
            case 0x20..<0x80: at += 1
            default:
                let length = UTF8Check.length(text, at)
                guard length > 0 else { throw malformed("not UTF-8") }
                at += length
            }
        }
    }

    /// Skips ASCII that needs no decoding, eight bytes at a time.
    @inline(__always) private mutating func skipPlain(_ text: Span<UInt8>) {
        let bytes = text.bytes
        while at + 8 <= bytes.byteCount {
            // Within the bounds, by the condition of the loop.
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
            // Little-endian: the first byte is the lowest.
            let special = JSONString.special(UInt64(littleEndian: word))
            guard special == 0 else {
                at += special.trailingZeroBitCount / 8
                return
            }
            at += 8
        }
    }

    private mutating func escape(_ text: Span<UInt8>) throws(JSONError) {
        at += 1
        switch byte(text) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case UInt8(ascii: "u"):
            let unit = try hex(text)
            guard unit & 0xF800 == 0xD800 else { return }
            // A high surrogate, which must be followed by a low surrogate.
            guard unit < 0xDC00, byte(text) == UInt8(ascii: "\\") else {
                throw malformed("half a surrogate pair")
            }
            at += 1
            guard byte(text) == UInt8(ascii: "u"), 0xDC00...0xDFFF ~= (try hex(text)) else {
                throw malformed("half a surrogate pair")
            }
        default: throw malformed("an invalid escape")
        }
    }

    /// The four digits after `\u`.
    private mutating func hex(_ text: Span<UInt8>) throws(JSONError) -> UInt32 {
        at += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = JSONString.hexDigit(byte(text)) else {
                throw malformed("four hexadecimal digits are missing")
            }
            unit = unit << 4 | digit
            at += 1
        }
        return unit
    }

    // MARK: numbers

    mutating func number(_ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        let start = at
        if byte(text) == UInt8(ascii: "-") { at += 1 }
        if byte(text) == UInt8(ascii: "0") { at += 1 } else { try digits(text) }
        if byte(text) == UInt8(ascii: ".") {
            at += 1
            try digits(text)
        }
        if byte(text) | 0x20 == UInt8(ascii: "e") {
            at += 1
            if byte(text) == UInt8(ascii: "+") || byte(text) == UInt8(ascii: "-") { at += 1 }
            try digits(text)
        }
        append(.number, start, &nodes)
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSONError) {
        let start = at
        while UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte(text) { at += 1 }
        guard at > start else { throw malformed("a digit is missing") }
    }
}

/// Finds duplicate members of an object. RFC 8259 allows them, but parsers differ in which one
/// they use, so two parsers could see different requests.
enum DuplicateNames {
    /// Up to this number of members each name is compared with each other; more are put into a
    /// set.
    private static let directComparisonLimit = 16

    static func exist(
        _ text: Span<UInt8>, _ nodes: borrowing GrowingBuffer<JSONText.Node>, _ object: Int
    ) -> Bool {
        let end = nodes[object].next
        var at = Int32(object + 1)
        var seen = 0
        while at < end {
            let name = nodes[Int(at)]
            if name.flag || seen == directComparisonLimit {
                return existAmongMany(text, nodes, object)
            }
            var other = Int32(object + 1)
            while other < at {
                if isSame(text, name, nodes[Int(other)]) { return true }
                other = nodes[Int(other) + 1].next
            }
            seen += 1
            at = nodes[Int(at) + 1].next
        }
        return false
    }

    private static func existAmongMany(
        _ text: Span<UInt8>, _ nodes: borrowing GrowingBuffer<JSONText.Node>, _ object: Int
    ) -> Bool {
        var names: Set<[UInt8]> = []
        var at = Int32(object + 1)
        while at < nodes[object].next {
            guard names.insert(name(text, nodes[Int(at)])).inserted else { return true }
            at = nodes[Int(at) + 1].next
        }
        return false
    }

    private static func isSame(_ text: Span<UInt8>, _ a: JSONText.Node, _ b: JSONText.Node) -> Bool
    {
        guard a.end - a.start == b.end - b.start else { return false }
        for i in 0..<Int(a.end - a.start) where text[Int(a.start) + i] != text[Int(b.start) + i] {
            return false
        }
        return true
    }

    private static func name(_ text: Span<UInt8>, _ node: JSONText.Node) -> [UInt8] {
        let raw = (Int(node.start)..<Int(node.end)).map { text[$0] }
        return node.flag
            ? raw.withUnsafeBufferPointer { Array(JSONString.unescape($0).utf8) } : raw
    }
}
