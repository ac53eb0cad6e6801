/// A text that has been read and found to be JSON, as a flat list of nodes that point into it.
///
/// Reading allocates nothing once the lists have grown, and everything the wire forbids is refused in
/// the same pass: bytes that are no UTF-8, control bytes, numbers such as `01`, text after the value,
/// and an object with a member twice. Only what is asked for is made a `String` or a `Value`.
public struct JSONText {
    public enum Kind: UInt8, Sendable { case null, bool, number, string, array, object }

    struct Node {
        var kind: Kind
        /// Of a string: it has escapes. Of a bool: its value.
        var flag = false
        /// Where it stands in the text; of a string, without its quotes.
        var start: Int32
        var end: Int32 = 0
        /// The node after it and all that is in it.
        var next: Int32 = 0
    }

    /// How deep arrays and objects may nest.
    public static let depthLimit = 128

    var text: [UInt8] = []
    var nodes: [Node] = []

    public init() {}

    /// Reads `text`, which replaces what was read before. After an error there is nothing to look at.
    public mutating func read(_ text: ArraySlice<UInt8>) throws(JSONError) {
        self.text.removeAll(keepingCapacity: true)
        self.text.append(contentsOf: text)
        var nodes = exchange(&self.nodes, with: [])  // taken out: the text is looked at meanwhile
        defer { self.nodes = nodes }
        nodes.removeAll(keepingCapacity: true)
        try JSONScanner.scan(self.text.span, into: &nodes)
    }

    /// The node of the whole text.
    public static let root = 0

    public func kind(_ node: Int) -> Kind { nodes[node].kind }

    /// The nodes directly in an array, or an object's names and values in turn.
    public func children(of node: Int) -> Children {
        Children(nodes: nodes, at: node + 1, end: Int(nodes[node].next))
    }

    public struct Children: Sequence, IteratorProtocol {
        let nodes: [Node]
        var at: Int
        let end: Int

        public mutating func next() -> Int? {
            guard at < end else { return nil }
            defer { at = Int(nodes[at].next) }
            return at
        }
    }

    /// An object's members; the name's node comes directly before the value's.
    public func members(of node: Int) -> Members {
        Members(nodes: nodes, at: node + 1, end: Int(nodes[node].next))
    }

    public struct Members: Sequence, IteratorProtocol {
        let nodes: [Node]
        var at: Int
        let end: Int

        public mutating func next() -> (name: Int, value: Int)? {
            guard at < end else { return nil }
            let name = at
            at = Int(nodes[name + 1].next)
            return (name, name + 1)
        }
    }

    // MARK: looking at one node

    /// Whether a string's node says exactly `name`, which is ASCII.
    public func says(_ name: StaticString, at node: Int) -> Bool {
        let found = nodes[node]
        guard found.kind == .string, !found.flag else {
            return string(at: node) == name.description
        }
        guard Int(found.end - found.start) == name.utf8CodeUnitCount else { return false }
        for i in 0..<name.utf8CodeUnitCount
        where text[Int(found.start) + i] != name.utf8Start[i] { return false }
        return true
    }

    /// A string's text, escapes resolved; nil of anything else.
    public func string(at node: Int) -> String? {
        let found = nodes[node]
        guard found.kind == .string else { return nil }
        let raw = text[Int(found.start)..<Int(found.end)]
        return found.flag ? JSONString.unescape(raw) : String(decoding: raw, as: UTF8.self)
    }

    /// The text of a node as it stood, of a string without its quotes.
    public func raw(at node: Int) -> ArraySlice<UInt8> {
        text[Int(nodes[node].start)..<Int(nodes[node].end)]
    }

    /// The node, and all that is in it, as a value.
    public func value(at node: Int) -> Value {
        switch nodes[node].kind {
        case .null: return .null
        case .bool: return .bool(nodes[node].flag)
        case .number: return JSONNumber.value(of: raw(at: node))
        case .string:
            let string = string(at: node)!
            guard nodes[node].flag, string.utf8.contains(0) else { return .string(string) }
            let raw = "\"" + String(decoding: raw(at: node), as: UTF8.self) + "\""
            return .unfit("\\u0000 in a string", raw: raw)
        case .array: return .array(children(of: node).map(value(at:)))
        case .object: return .object(object(at: node))
        }
    }

    /// An object's members as values; none of anything else.
    public func object(at node: Int) -> [Member] {
        guard kind(node) == .object else { return [] }
        return members(of: node).map { Member(string(at: $0.name)!, value(at: $0.value)) }
    }
}
