public import Support

/// Parses the text of a `JSONText` in one pass, strictly by RFC 8259. Appends a node for each value, and a node for each name
/// of a member, in the order of the text.
///
/// The recursion is limited by `JSONText.depthLimit`, so that no text exhausts the stack.
@usableFromInline struct JSONScanner: BitwiseCopyable {
    /// The text. Zero bytes follow it, and no value contains a zero byte, so the end is not checked before each byte.
    @usableFromInline let text: UnsafePointer<UInt8>
    @usableFromInline let count: Int
    /// The offset of the next byte.
    @usableFromInline var offset = 0

    /// The number of zero bytes that follow the text. With these bytes, eight bytes can be read at any offset in the text.
    static let padding = 8

    /// Begins at an offset in a text. The text's address must not be nil, and `padding` zero bytes must follow the text.
    @inlinable init(_ text: UnsafeBufferPointer<UInt8>, at offset: Int = 0) {
        (self.text, count, self.offset) = (text.baseAddress!, text.count, offset)
    }

    /// Parses the whole text, and appends its nodes to `nodes`.
    mutating func scan(into nodes: inout GrowingBuffer<JSONText.Node>) throws(JSONError) {
        skipBlanks()
        try value(&nodes, depth: 0)
        try end()
    }

    /// Throws if anything but blanks follows.
    @inlinable mutating func end() throws(JSONError) {
        skipBlanks()
        guard offset == count else { throw malformed("text after the value") }
    }

    @usableFromInline @inline(never) func malformed(_ why: String) -> JSONError {
        .malformed(why, at: offset)
    }

    /// The next byte; 0 at the end of the text.
    @inlinable @inline(__always) var byte: UInt8 { text[offset] }

    @inlinable @inline(__always) mutating func skipBlanks() {
        while byte <= 0x20 {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    // Each of the functions below parses one value, which begins at `offset`, and moves `offset` to the value's end.

    /// Parses a value of any type. `depth` is the number of arrays and objects around the value.
    @usableFromInline mutating func value(
        _ nodes: inout GrowingBuffer<JSONText.Node>, depth: Int
    )
        throws(JSONError)
    {
        switch byte {
        case UInt8(ascii: "\""): try string(&nodes)
        case UInt8(ascii: "{"): try object(&nodes, depth: depth)
        case UInt8(ascii: "["): try array(&nodes, depth: depth)
        case UInt8(ascii: "t"): try literal("true", .bool, isTrue: true, &nodes)
        case UInt8(ascii: "f"): try literal("false", .bool, isTrue: false, &nodes)
        case UInt8(ascii: "n"): try literal("null", .null, isTrue: false, &nodes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(&nodes)
        default:
            throw malformed(offset < count ? "an unexpected character" : "a value is missing")
        }
    }

    private mutating func literal(
        _ word: StaticString, _ kind: JSONText.Kind, isTrue: Bool,
        _ nodes: inout GrowingBuffer<JSONText.Node>
    ) throws(JSONError) {
        let start = offset
        for index in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[index] else { throw malformed("an invalid literal") }
            offset += 1
        }
        append(kind, flag: isTrue, start, &nodes)
    }

    /// Appends a node for the text from `start` to `offset`. `flag` becomes the node's `hasEscapesOrIsTrue`.
    func append(
        _ kind: JSONText.Kind, flag: Bool = false, _ start: Int,
        _ nodes: inout GrowingBuffer<JSONText.Node>
    ) {
        nodes.append(
            .init(
                kind: kind, hasEscapesOrIsTrue: flag, start: Int32(truncatingIfNeeded: start),
                end: Int32(truncatingIfNeeded: offset),
                next: Int32(truncatingIfNeeded: nodes.count &+ 1)))
    }

    /// Appends a node without descendants.
    @inlinable @inline(__always) func append(
        _ leaf: JSONText.Node, _ nodes: inout GrowingBuffer<JSONText.Node>
    ) {
        var node = leaf
        node.next = Int32(truncatingIfNeeded: nodes.count &+ 1)
        nodes.append(node)
    }

    // MARK: containers

    /// Begins an array or an object, which `closingBracket` will end. Returns the index of its node. If the container is empty,
    /// also ends it.
    private mutating func open(
        _ kind: JSONText.Kind, _ closingBracket: UInt8,
        _ nodes: inout GrowingBuffer<JSONText.Node>,
        depth: Int
    ) throws(JSONError) -> (node: Int, isEmpty: Bool) {
        guard depth < JSONText.depthLimit else { throw .tooDeep }
        append(kind, offset, &nodes)
        offset += 1
        skipBlanks()
        guard byte == closingBracket else { return (nodes.count - 1, false) }
        closeContainer(nodes.count - 1, &nodes)
        return (nodes.count - 1, true)
    }

    /// Skips the closing bracket, and completes the container's node.
    private mutating func closeContainer(_ node: Int, _ nodes: inout GrowingBuffer<JSONText.Node>) {
        offset += 1
        var closed = nodes[node]
        closed.end = Int32(truncatingIfNeeded: offset)
        closed.next = Int32(truncatingIfNeeded: nodes.count)
        nodes[node] = closed
    }

    /// Moves from the end of an element to the next element; returns false if the closing bracket follows instead.
    @inlinable @inline(__always) mutating func skipComma(or closingBracket: UInt8) throws(JSONError)
        -> Bool
    {
        skipBlanks()
        if byte == closingBracket { return false }
        guard byte == UInt8(ascii: ",") else {
            throw malformed("a comma or an end is missing")
        }
        offset += 1
        skipBlanks()
        return true
    }

    private mutating func array(
        _ nodes: inout GrowingBuffer<JSONText.Node>, depth: Int
    ) throws(JSONError) {
        let bracket = UInt8(ascii: "]")
        let (node, isEmpty) = try open(.array, bracket, &nodes, depth: depth)
        if isEmpty { return }
        repeat { try value(&nodes, depth: depth + 1) } while try skipComma(or: bracket)
        closeContainer(node, &nodes)
    }

    private mutating func object(
        _ nodes: inout GrowingBuffer<JSONText.Node>, depth: Int
    ) throws(JSONError) {
        let bracket = UInt8(ascii: "}")
        let (node, isEmpty) = try open(.object, bracket, &nodes, depth: depth)
        if isEmpty { return }
        repeat {
            append(try name(), &nodes)
            try value(&nodes, depth: depth + 1)
        } while try skipComma(or: bracket)
        closeContainer(node, &nodes)
        if hasDuplicates(nodes, node) { throw duplicate() }
    }

    /// Parses the name of a member, and moves to the member's value. Returns the node of the name, whose `next` is not set.
    @inlinable @inline(__always) mutating func name() throws(JSONError) -> JSONText.Node {
        guard byte == UInt8(ascii: "\"") else { throw malformed("a name is missing") }
        let name = try string()
        skipBlanks()
        guard byte == UInt8(ascii: ":") else { throw malformed("a colon is missing") }
        offset += 1
        skipBlanks()
        return name
    }

    /// The error for two members with the same name in the object that ends at `offset`.
    @usableFromInline @inline(never) func duplicate() -> JSONError {
        malformed("a member is given twice")
    }
}

/// Strings and numbers.
extension JSONScanner {
    @inlinable @inline(__always) mutating func string(_ nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        append(try string(), &nodes)
    }

    /// Parses a string. Returns its node, whose `next` is not set.
    @inlinable @inline(__always) mutating func string() throws(JSONError) -> JSONText.Node {
        let start = offset + 1
        offset = start
        skipPlain()
        // Most strings contain only plain ASCII.
        guard byte == UInt8(ascii: "\"") else { return try specialString(start) }
        offset += 1
        return Self.string(from: start, to: offset - 1, hasEscapes: false)
    }

    @inlinable @inline(__always) static func string(from start: Int, to end: Int, hasEscapes: Bool)
        -> JSONText.Node
    {
        JSONText.Node(
            kind: .string, hasEscapesOrIsTrue: hasEscapes, start: Int32(truncatingIfNeeded: start),
            end: Int32(truncatingIfNeeded: end))
    }

    /// Parses the rest of a string that begins at `start` and contains a byte that is not plain. `offset` is the offset of this
    /// byte.
    @usableFromInline @inline(never) mutating func specialString(_ start: Int) throws(JSONError)
        -> JSONText.Node
    {
        var hasEscapes = false
        while true {
            skipPlain()
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return Self.string(from: start, to: offset - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            case 0..<0x20:
                throw malformed(
                    offset < count ? "a control byte in a string" : "an unclosed string")
            case 0x20..<0x80: offset += 1
            default:
                let length = UTF8Check.length(
                    UnsafeBufferPointer(start: text, count: count).span, offset)
                guard length > 0 else { throw malformed("not UTF-8") }
                offset += length
            }
        }
    }

    /// Skips ASCII that needs no decoding, eight bytes at a time. Stops at the zero bytes after the text at the latest.
    @inlinable @inline(__always) mutating func skipPlain() {
        var pointer = UnsafeRawPointer(text + offset)
        while true {
            // Little-endian: the first byte is the lowest.
            let word = UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
            let special = JSONString.specialMask(word)
            if special != 0 {
                offset = pointer - UnsafeRawPointer(text) + special.trailingZeroBitCount / 8
                return
            }
            pointer += 8
        }
    }

    /// Checks an escape and moves past it, from its backslash. `JSONString` decodes it later.
    private mutating func escape() throws(JSONError) {
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 1
        case UInt8(ascii: "u"):
            let unit = try hex()
            guard unit & 0xF800 == 0xD800 else { return }
            // A surrogate: it must be a high surrogate, and a low surrogate must follow.
            guard unit < 0xDC00, byte == UInt8(ascii: "\\") else {
                throw malformed("half a surrogate pair")
            }
            offset += 1
            guard byte == UInt8(ascii: "u"), 0xDC00...0xDFFF ~= (try hex()) else {
                throw malformed("half a surrogate pair")
            }
        default: throw malformed("an invalid escape")
        }
    }

    /// Reads the four digits after `\u`. `offset` is the offset of the `u`.
    private mutating func hex() throws(JSONError) -> UInt32 {
        offset += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = JSONString.hexDigit(byte) else {
                throw malformed("four hexadecimal digits are missing")
            }
            unit = unit << 4 | digit
            offset += 1
        }
        return unit
    }

    // MARK: numbers

    mutating func number(_ nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        let start = offset
        if byte == UInt8(ascii: "-") { offset += 1 }
        if byte == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        append(.number, start, &nodes)
    }

    /// Skips one or more digits.
    private mutating func digits() throws(JSONError) {
        let start = offset
        while UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
        guard offset > start else { throw malformed("a digit is missing") }
    }
}

/// Finds duplicate members of an object. RFC 8259 allows duplicates, but parsers differ in which duplicate they use. So two
/// parsers could read different requests from one text.
extension JSONScanner {
    /// In an object with at most this number of members, each name is compared with each other name. The names of a larger
    /// object, or of an object with an escape in a name, are put into a set.
    private static let directComparisonLimit = 16

    // In an object, the node after a name is the value, and the value's `next` is the following name.

    private func hasDuplicates(
        _ nodes: borrowing GrowingBuffer<JSONText.Node>, _ object: Int
    ) -> Bool {
        let end = nodes[object].next
        var nameNode = Int32(object + 1)
        var checkedCount = 0
        while nameNode < end {
            let name = nodes[Int(nameNode)]
            if name.hasEscapesOrIsTrue || checkedCount == Self.directComparisonLimit {
                return hasDuplicatesAmongMany(nodes, object)
            }
            var earlierNode = Int32(object + 1)
            while earlierNode < nameNode {
                if isSame(name, nodes[Int(earlierNode)]) { return true }
                earlierNode = nodes[Int(earlierNode) + 1].next
            }
            checkedCount += 1
            nameNode = nodes[Int(nameNode) + 1].next
        }
        return false
    }

    private func hasDuplicatesAmongMany(
        _ nodes: borrowing GrowingBuffer<JSONText.Node>, _ object: Int
    ) -> Bool {
        var names: Set<[UInt8]> = []
        var nameNode = Int32(object + 1)
        while nameNode < nodes[object].next {
            guard names.insert(name(nodes[Int(nameNode)])).inserted else { return true }
            nameNode = nodes[Int(nameNode) + 1].next
        }
        return false
    }

    /// Whether two names without escapes are equal.
    @inline(__always) private func isSame(_ a: JSONText.Node, _ b: JSONText.Node) -> Bool {
        let count = Int(a.end - a.start)
        guard count == Int(b.end - b.start) else { return false }
        return PlainBytes.areSame(text + Int(a.start), text + Int(b.start), count)
    }

    /// The decoded text of a member's name.
    private func name(_ node: JSONText.Node) -> [UInt8] {
        let raw = UnsafeBufferPointer(
            start: text + Int(node.start), count: Int(node.end - node.start))
        return node.hasEscapesOrIsTrue ? Array(JSONString.unescape(raw).utf8) : Array(raw)
    }
}

/// Compares short texts.
@usableFromInline enum PlainBytes {
    /// Whether two texts of the same length have the same bytes. The function is inlined: if the compiler knows one of the
    /// texts, the code compares with constants.
    @inlinable @inline(__always) static func areSame(
        _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int
    ) -> Bool {
        let (a, b) = (UnsafeRawPointer(a), UnsafeRawPointer(b))
        if count >= 8 {
            var offset = 0
            while offset + 8 < count {
                guard same(a + offset, b + offset, UInt64.self) else { return false }
                offset += 8
            }
            // The last word may overlap the word before it.
            return same(a + (count - 8), b + (count - 8), UInt64.self)
        }
        if count >= 4 {
            return same(a, b, UInt32.self) && same(a + (count - 4), b + (count - 4), UInt32.self)
        }
        for offset in 0..<count where !same(a + offset, b + offset, UInt8.self) { return false }
        return true
    }

    /// Whether the integers of type `type` at two addresses are equal.
    @inlinable @inline(__always) static func same<Word: FixedWidthInteger & BitwiseCopyable>(
        _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ type: Word.Type
    ) -> Bool {
        a.loadUnaligned(as: type) == b.loadUnaligned(as: type)
    }
}
