public import GameFlow

/// A text that has been read and found to be JSON, as a flat list of nodes that point into it.
///
/// Reading allocates nothing once the lists have grown, and everything the wire forbids is refused in
/// the same pass: bytes that are no UTF-8, control bytes, numbers such as `01`, text after the value,
/// and an object with a member twice. Only what is asked for is made a `String` or a `Value`.
public struct JSONText: ~Copyable {
    public enum Kind: UInt8, BitwiseCopyable, Sendable {
        case null, bool, number, string, array, object
    }

    struct Node: BitwiseCopyable {
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
    /// The node of the whole text.
    public static let root = 0

    private var text = GrowingBuffer<UInt8>(capacity: 256)
    private var nodes = GrowingBuffer<Node>(capacity: 32)

    public init() {}

    /// Reads `text`, which replaces what was read before. After an error there is nothing to look at.
    public mutating func read(_ text: ArraySlice<UInt8>) throws(JSONError) {
        text.withUnsafeBufferPointer { self.text.replace(with: $0) }
        nodes.removeAll()
        try JSONScanner.scan(text.span, into: &nodes)
    }

    // MARK: finding nodes

    public func kind(_ node: Int) -> Kind { nodes[node].kind }

    /// The first node in an array or an object, whose names and values take turns; nil if it is empty.
    public func first(in container: Int) -> Int? {
        nodes[container].next > container + 1 ? container + 1 : nil
    }

    /// The node behind another and all that is in that; nil where the container ends.
    public func next(after node: Int, in container: Int) -> Int? {
        let next = nodes[node].next
        return next < nodes[container].next ? Int(next) : nil
    }

    /// The nodes directly in an array.
    public func children(of array: Int) -> [Int] {
        var children: [Int] = []
        var at = first(in: array)
        while let child = at {
            children.append(child)
            at = next(after: child, in: array)
        }
        return children
    }

    /// An object's members.
    public func members(of object: Int) -> [(name: Int, value: Int)] {
        var members: [(name: Int, value: Int)] = []
        var at = first(in: object)
        while let name = at {
            members.append((name, name + 1))
            at = next(after: name + 1, in: object)
        }
        return members
    }

    // MARK: looking at one node

    /// Whether a string's node says exactly `name`, which is ASCII.
    public func says(_ name: StaticString, at node: Int) -> Bool {
        let found = nodes[node]
        guard found.kind == .string, !found.flag else {
            return string(at: node) == name.description
        }
        return bytes(found).hasSameBytes(
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// A string's text, escapes resolved; nil of anything else.
    public func string(at node: Int) -> String? {
        let found = nodes[node]
        guard found.kind == .string else { return nil }
        return found.flag
            ? JSONString.unescape(bytes(found)) : String(decoding: bytes(found), as: UTF8.self)
    }

    /// The text of a node as it stood, of a string without its quotes.
    public func raw(at node: Int) -> [UInt8] { Array(bytes(nodes[node])) }

    private func bytes(_ node: Node) -> UnsafeBufferPointer<UInt8> {
        text.elements(from: Int(node.start), to: Int(node.end))
    }

    /// A number's integer; nil of anything else, and of a number that is none.
    public func int(at node: Int) -> Int? {
        let found = nodes[node]
        guard found.kind == .number else { return nil }
        if let short = JSONNumber.short(bytes(found)) { return short }
        guard case .int(let number) = JSONNumber.value(of: bytes(found)) else { return nil }
        return number
    }

    /// The node, and all that is in it, as a value.
    public func value(at node: Int) -> Value {
        let found = nodes[node]
        switch found.kind {
        case .null: return .null
        case .bool: return .bool(found.flag)
        case .number: return JSONNumber.value(of: bytes(found))
        case .string: return string(found, string(at: node) ?? "")
        case .array:
            var values: [Value] = []
            for child in children(of: node) { values.append(value(at: child)) }
            return .array(values)
        case .object: return .object(object(at: node))
        }
    }

    private func string(_ node: Node, _ string: String) -> Value {
        guard node.flag, string.utf8.contains(0) else { return .string(string) }
        let raw = "\"" + String(decoding: bytes(node), as: UTF8.self) + "\""
        return .unfit("\\u0000 in a string", raw: raw)
    }

    /// An object's members as values; none of anything else.
    public func object(at node: Int) -> [Member] {
        guard kind(node) == .object else { return [] }
        var members: [Member] = []
        var at = first(in: node)
        while let name = at {
            members.append(Member(string(at: name) ?? "", value(at: name + 1)))
            at = next(after: name + 1, in: node)
        }
        return members
    }
}
