public import GameFlow
public import Support

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A parsed JSON text, as a flat list of nodes with their ranges in the text. A node is a value or the name of a member. The
/// methods identify a node by its index, an `Int` that is less than the number of nodes.
///
/// Parsing allocates nothing once the buffers have grown. The parser also rejects everything that the protocol forbids: invalid
/// UTF-8, control bytes, numbers such as `01`, text after the value, and duplicate members. Only requested nodes are converted
/// to `String` or `Value`.
public struct JSONText: ~Copyable {
    /// The JSON type of a node.
    @frozen public enum Kind: UInt8, BitwiseCopyable, Sendable {
        case null, bool, number, string, array, object
    }

    @usableFromInline struct Node: BitwiseCopyable {
        @usableFromInline var kind: Kind
        /// For a string, whether it has escapes. For a boolean, its value.
        @usableFromInline var hasEscapesOrIsTrue = false
        /// The range in the text, from `start` to before `end`, in bytes; for a string, without its quotes.
        @usableFromInline var start: Int32
        @usableFromInline var end: Int32 = 0
        /// The index of the first later node that is not a descendant of this node.
        @usableFromInline var next: Int32 = 0

        @inlinable init(
            kind: Kind, hasEscapesOrIsTrue: Bool = false, start: Int32, end: Int32 = 0,
            next: Int32 = 0
        ) {
            (self.kind, self.hasEscapesOrIsTrue) = (kind, hasEscapesOrIsTrue)
            (self.start, self.end, self.next) = (start, end, next)
        }
    }

    /// The maximum nesting depth of arrays and objects.
    @inlinable public static var depthLimit: Int { 128 }
    /// The node of the whole text.
    @inlinable public static var root: Int { 0 }

    @usableFromInline private(set) var text = GrowingBuffer<UInt8>(capacity: 256)
    @usableFromInline var nodes = GrowingBuffer<Node>(capacity: 32)

    public init() {}

    /// Parses `text`, which replaces the previous text. After an error there are no valid nodes.
    public mutating func read(_ text: ArraySlice<UInt8>) throws(JSONError) {
        try load(text)
        try parse()
    }

    /// Replaces the text by `text`, without parsing it. There are no nodes then. A `JSONMembers` or `parse` reads the text.
    public mutating func load(_ text: ArraySlice<UInt8>) throws(JSONError) {
        nodes.removeAll()
        // The offsets in nodes have 32 bits.
        guard text.count < Int(Int32.max) else { throw .malformed("too long", at: 0) }
        text.withUnsafeBufferPointer {
            self.text.replace(with: $0, padding: JSONScanner.padding, filler: 0)
        }
    }

    /// Parses the whole text that was loaded. After an error there are no valid nodes.
    public mutating func parse() throws(JSONError) {
        nodes.removeAll()
        var scanner = scanner(at: 0)
        try scanner.scan(into: &nodes)
    }

    func scanner(at offset: Int) -> JSONScanner {
        JSONScanner(text.elements(from: 0, to: text.count), at: offset)
    }

    /// The number of nodes.
    public var nodeCount: Int { nodes.count }

    /// Removes the nodes from the index `count` on. They must not be part of a remaining node.
    public mutating func removeNodes(from count: Int) { nodes.truncate(to: count) }

    // MARK: finding nodes

    @inlinable public func kind(_ node: Int) -> Kind { nodes[node].kind }

    /// The first node in an array or object; nil if the container is empty. In an object, names
    /// and values alternate.
    @inlinable public func first(in container: Int) -> Int? {
        nodes[container].next > container + 1 ? container + 1 : nil
    }

    /// The node that follows `node` and its descendants in `container`; nil at the end of the container.
    @inlinable public func next(after node: Int, in container: Int) -> Int? {
        let next = nodes[node].next
        return next < nodes[container].next ? Int(next) : nil
    }

    /// The elements of an array.
    public func children(of array: Int) -> [Int] {
        var children: [Int] = []
        var following = first(in: array)
        while let child = following {
            children.append(child)
            following = next(after: child, in: array)
        }
        return children
    }

    /// The members of an object.
    public func members(of object: Int) -> [(name: Int, value: Int)] {
        var members: [(name: Int, value: Int)] = []
        var following = first(in: object)
        while let name = following {
            members.append((name, name + 1))
            following = next(after: name + 1, in: object)
        }
        return members
    }

    // MARK: looking at one node

    /// Whether a node is the string `name`, which must be ASCII.
    @inlinable @inline(__always) public func isString(_ name: StaticString, at node: Int) -> Bool {
        let record = nodes[node]
        guard record.kind == .string, !record.hasEscapesOrIsTrue else {
            return isEscapedString(name, node)
        }
        let count = Int(record.end &- record.start)
        guard count == name.utf8CodeUnitCount else { return false }
        return PlainBytes.areSame(text.memory + Int(record.start), name.utf8Start, count)
    }

    /// The rare case of `isString`: the node has escapes, or is not a string.
    @usableFromInline @inline(never) func isEscapedString(_ name: StaticString, _ node: Int) -> Bool
    {
        string(at: node) == name.description
    }

    /// Whether a node is a string without escapes.
    @inlinable public func isPlainString(at node: Int) -> Bool {
        nodes[node].kind == .string && !nodes[node].hasEscapesOrIsTrue
    }

    /// The decoded text of a string; nil for any other node.
    public func string(at node: Int) -> String? {
        let record = nodes[node]
        return record.kind == .string ? string(record) : nil
    }

    /// The decoded text of the node of a string or a name.
    func string(_ node: Node) -> String {
        node.hasEscapesOrIsTrue
            ? JSONString.unescape(bytes(node)) : String(decoding: bytes(node), as: UTF8.self)
    }

    /// Calls `use` with the bytes of a string without escapes, and returns its result; nil for any other node. The bytes are
    /// valid only during the call.
    public func withPlainString<Result>(
        at node: Int, _ use: (UnsafeBufferPointer<UInt8>) -> Result?
    ) -> Result? {
        let record = nodes[node]
        guard record.kind == .string, !record.hasEscapesOrIsTrue else { return nil }
        return use(bytes(record))
    }

    /// The bytes of a node as received; for a string, without its quotes.
    public func raw(at node: Int) -> [UInt8] { Array(bytes(nodes[node])) }

    private func bytes(_ node: Node) -> UnsafeBufferPointer<UInt8> {
        text.elements(from: Int(node.start), to: Int(node.end))
    }

    /// The integer of a number. Nil if the node is not a number, or if the number is not an integer.
    public func int(at node: Int) -> Int? {
        let record = nodes[node]
        guard record.kind == .number else { return nil }
        if let short = JSONNumber.shortInteger(bytes(record)) { return short }
        guard case .int(let number) = JSONNumber.value(of: bytes(record)) else { return nil }
        return number
    }

    /// The reason why a node cannot be used as a value; nil if it can. See `Value.flaw`.
    public func flaw(at node: Int) -> String? {
        let record = nodes[node]
        switch record.kind {
        case .string where !record.hasEscapesOrIsTrue: return nil
        case .number where JSONNumber.shortInteger(bytes(record)) != nil: return nil
        default: return value(at: node).flaw
        }
    }

    /// The node and its descendants as a value.
    public func value(at node: Int) -> Value {
        let record = nodes[node]
        switch record.kind {
        case .null: return .null
        case .bool: return .bool(record.hasEscapesOrIsTrue)
        case .number: return JSONNumber.value(of: bytes(record))
        case .string: return string(record, string(at: node) ?? "")
        case .array:
            var values: [Value] = []
            for child in children(of: node) { values.append(value(at: child)) }
            return .array(values)
        case .object: return .object(object(at: node))
        }
    }

    /// The value of a string node whose decoded text is `string`; unfit if it contains U+0000.
    private func string(_ node: Node, _ string: String) -> Value {
        guard node.hasEscapesOrIsTrue, string.utf8.contains(0) else { return .string(string) }
        let raw = "\"" + String(decoding: bytes(node), as: UTF8.self) + "\""
        return .unfit("\\u0000 in a string", raw: raw)
    }

    /// The members of an object as values; empty for any other node.
    public func object(at node: Int) -> [Member] {
        guard kind(node) == .object else { return [] }
        var members: [Member] = []
        var following = first(in: node)
        while let name = following {
            members.append(Member(string(at: name) ?? "", value(at: name + 1)))
            following = next(after: name + 1, in: node)
        }
        return members
    }
}

/// Why a text is rejected as JSON.
public enum JSONError: DescribedError, Equatable {
    /// The text violates the grammar of RFC 8259, or an object has a duplicate member. `at` is the offset of the error in the
    /// text, in bytes.
    case malformed(_ why: String, at: Int)
    /// The text is nested deeper than `JSONText.depthLimit`.
    case tooDeep

    public var why: String {
        switch self {
        case .malformed(let why, _): why
        case .tooDeep: "nested deeper than \(JSONText.depthLimit) levels"
        }
    }

    public var sentence: String {
        if case .malformed(_, let offset) = self { "\(why), at byte \(offset)" } else { why }
    }
}

extension Value {
    /// The JSON type as which the value is written.
    public var kind: JSONText.Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .number
        case .string: .string
        case .array: .array
        case .object: .object
        case .unfit(_, let raw): raw.utf8.first == UInt8(ascii: "\"") ? .string : .number
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both buffers have the same bytes. Wraps memcmp(3).
    package func hasSameBytes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        // The address of an empty buffer may be nil.
        guard count == other.count, let a = baseAddress, let b = other.baseAddress else {
            return count == other.count
        }
        return memcmp(a, b, count) == 0
    }
}
