/// Whether an object has a member twice. RFC 8259 leaves that open, and parsers differ in which of the
/// two they take, so that one reader would see another request than the next.
enum JSONNames {
    /// Up to here every name is compared with every other; more of them go into a set.
    private static let few = 16

    static func hasTwice(
        _ text: Span<UInt8>, _ nodes: borrowing GrowingBuffer<JSONText.Node>, _ object: Int
    ) -> Bool {
        let end = nodes[object].next
        var at = Int32(object + 1)
        var seen = 0
        while at < end {
            let name = nodes[Int(at)]
            if name.flag || seen == few { return hasTwiceAmongMany(text, nodes, object) }
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

    private static func hasTwiceAmongMany(
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
