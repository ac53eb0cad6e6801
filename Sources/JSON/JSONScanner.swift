/// The one pass over a text: the grammar of RFC 8259, to the letter.
///
/// Recursion stops at `JSONText.depthLimit`, so that no text exhausts the stack.
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
        case UInt8(ascii: "t"): try word("true", .bool, flag: true, text, &nodes)
        case UInt8(ascii: "f"): try word("false", .bool, flag: false, text, &nodes)
        case UInt8(ascii: "n"): try word("null", .null, flag: false, text, &nodes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(text, &nodes)
        default: throw malformed("no value begins like this")
        }
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONText.Kind, flag: Bool, _ text: Span<UInt8>,
        _ nodes: inout GrowingBuffer<JSONText.Node>
    ) throws(JSONError) {
        let start = at
        for i in 0..<word.utf8CodeUnitCount {
            guard byte(text) == word.utf8Start[i] else { throw malformed("no such word") }
            at += 1
        }
        append(kind, flag: flag, start, &nodes)
    }

    /// A node that ends here.
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

    /// Enters an array or object: its node, and whether it is empty and so over already.
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
        leave(nodes.count - 1, &nodes)
        return (nodes.count - 1, true)
    }

    private mutating func leave(_ node: Int, _ nodes: inout GrowingBuffer<JSONText.Node>) {
        at += 1
        var closed = nodes[node]
        closed.end = Int32(at)
        closed.next = Int32(nodes.count)
        nodes[node] = closed
    }

    /// After a value in a container: on to the next, or out.
    private mutating func goesOn(_ close: UInt8, _ text: Span<UInt8>) throws(JSONError) -> Bool {
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
        repeat { try value(text, &nodes, depth: depth + 1) } while try goesOn(close, text)
        leave(node, &nodes)
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
        } while try goesOn(close, text)
        leave(node, &nodes)
        if JSONNames.hasTwice(text, nodes, node) { throw malformed("a member is given twice") }
    }
}
