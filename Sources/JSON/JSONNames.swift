/// Whether an object has a member twice. RFC 8259 leaves that open, and parsers differ in which of the
/// two they take, so that one reader would see another request than the next.
enum JSONNames {
    /// Up to here every name is compared with every other; more of them go into a set.
    private static let few = 16

    static func hasTwice(_ text: Span<UInt8>, _ nodes: [JSONText.Node], _ object: Int) -> Bool {
        var names: [Int] = []
        var at = object + 1
        var hasEscapes = false
        // Most objects of a request have two to four members: look at pairs without a list.
        while at < nodes[object].next {
            if nodes[at].flag { hasEscapes = true }
            if !hasEscapes, names.isEmpty {
                var other = object + 1
                var seen = 0
                while other < at {
                    if isSame(text, nodes[at], nodes[other]) { return true }
                    other = Int(nodes[other + 1].next)
                    seen += 1
                }
                if seen >= few { hasEscapes = true }
            }
            at = Int(nodes[at + 1].next)
        }
        guard hasEscapes else { return false }
        at = object + 1
        while at < nodes[object].next {
            names.append(at)
            at = Int(nodes[at + 1].next)
        }
        var seen: Set<[UInt8]> = []
        return names.contains { !seen.insert(name(text, nodes[$0])).inserted }
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
        return node.flag ? Array(JSONString.unescape(raw[...]).utf8) : raw
    }
}
