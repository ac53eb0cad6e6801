public import Support

/// Reads one object of a `JSONText` member by member, in one pass, and makes no nodes for the names of the members. The caller
/// decides for each name what it does with the value: it reads the value as a node, or as an object with another `JSONMembers`.
///
/// The reader rejects the same texts as `JSONText.read`, except that the caller must look for repeated names: only the caller
/// knows whether a name is one of a few expected names. Use it only while the text is not replaced.
public struct JSONMembers: BitwiseCopyable {
    @usableFromInline var scanner: JSONScanner
    /// The number of objects and arrays around the members.
    @usableFromInline let depth: Int
    /// Whether no member was read yet.
    @usableFromInline var isAtStart = true

    /// The name of a member.
    public struct Name: BitwiseCopyable {
        @usableFromInline let node: JSONText.Node

        @inlinable init(node: JSONText.Node) { self.node = node }

        /// Whether the name has escapes.
        @inlinable public var hasEscapes: Bool { node.hasEscapesOrIsTrue }
        /// The length of the name in bytes, as it is written.
        @inlinable public var count: Int { Int(node.end &- node.start) }
    }

    /// The first eight bytes of a name, and its length. Names of up to eight bytes differ if their keys differ. A longer name
    /// must also be compared as a whole.
    @frozen public struct Key: Equatable, BitwiseCopyable, Sendable {
        @usableFromInline let bytes: UInt64
        @usableFromInline let count: Int

        @inlinable init(bytes: UInt64, count: Int) { (self.bytes, self.count) = (bytes, count) }

        /// The key of a name without escapes.
        public init(_ name: StaticString) {
            var bytes: UInt64 = 0
            for index in (0..<min(8, name.utf8CodeUnitCount)).reversed() {
                bytes = bytes << 8 | UInt64(name.utf8Start[index])
            }
            self.init(bytes: bytes, count: name.utf8CodeUnitCount)
        }

        /// Whether the key identifies its name.
        @inlinable public var isWhole: Bool { count <= 8 }
    }

    /// Begins to read the object that follows; nil if another value follows. Skips blanks before it.
    @inlinable init?(_ scanner: JSONScanner, depth: Int) {
        self.scanner = scanner
        self.scanner.skipBlanks()
        guard self.scanner.byte == UInt8(ascii: "{") else { return nil }
        self.depth = depth + 1
        self.scanner.offset += 1
        self.scanner.skipBlanks()
    }

    /// The error for two members with the same name, when all members were read.
    public var duplicate: JSONError { scanner.duplicate() }

    /// Throws if anything but blanks follows the object, whose members were all read.
    @inlinable public mutating func end() throws(JSONError) { try scanner.end() }

    /// Moves to the value of the next member, and returns the member's name; nil if there is no further member.
    @inlinable @inline(__always) public mutating func next() throws(JSONError) -> Name? {
        let bracket = UInt8(ascii: "}")
        let hasMember =
            if isAtStart { scanner.byte != bracket } else { try scanner.skipComma(or: bracket) }
        isAtStart = false
        guard hasMember else {
            scanner.offset += 1
            return nil
        }
        return Name(node: try scanner.name())
    }

    /// Reads the value of the member whose name was read last, and appends its nodes.
    @inlinable @inline(__always) mutating func value(
        _ nodes: inout GrowingBuffer<JSONText.Node>
    ) throws(JSONError) {
        // Most values of a request are strings.
        guard scanner.byte == UInt8(ascii: "\"") else {
            return try scanner.value(&nodes, depth: depth)
        }
        try scanner.string(&nodes)
    }

    /// Begins to read the value of the member whose name was read last; nil if it is no object. When its members were all
    /// read, `skip(to:)` continues after it.
    @inlinable public func object() throws(JSONError) -> JSONMembers? {
        guard depth < JSONText.depthLimit else { throw .tooDeep }
        return JSONMembers(scanner, depth: depth)
    }

    /// Continues after the value that `members`, the result of `object`, has read.
    @inlinable public mutating func skip(to members: JSONMembers) {
        scanner.offset = members.scanner.offset
    }
}

extension JSONText {
    /// Begins to read the object that the loaded text consists of; nil if the text consists of something else.
    public func reader() -> JSONMembers? { JSONMembers(scanner(at: 0), depth: 0) }

    /// Begins to read the object at a node; nil if another value is there.
    public func reader(at node: Int) -> JSONMembers? {
        guard kind(node) == .object else { return nil }
        return JSONMembers(scanner(at: Int(nodes[node].start)), depth: 0)
    }

    /// Reads the value of the member whose name `members` has read last. Returns the value's node.
    @inlinable @inline(__always) public mutating func readValue(_ members: inout JSONMembers)
        throws(JSONError) -> Int
    {
        let node = nodes.count
        try members.value(&nodes)
        return node
    }

    /// The key of a name. If the name has escapes, it is the key of its escaped text, which contains a backslash.
    @inlinable public func key(of name: JSONMembers.Name) -> JSONMembers.Key {
        // At least eight bytes follow each name: `JSONScanner.padding`.
        let word = UnsafeRawPointer(text.memory + Int(name.node.start))
            .loadUnaligned(as: UInt64.self)
        let bits = UInt64(truncatingIfNeeded: 8 &* min(8, name.count))
        // A shift by 64 bits gives 0.
        return JSONMembers.Key(
            bytes: UInt64(littleEndian: word) & ~(~0 << bits), count: name.count)
    }

    /// Whether a name is `text`, which must be ASCII.
    @inlinable @inline(__always) public func isName(_ text: StaticString, _ name: JSONMembers.Name)
        -> Bool
    {
        guard !name.hasEscapes else { return string(of: name) == text.description }
        guard name.count == text.utf8CodeUnitCount else { return false }
        return PlainBytes.areSame(
            self.text.memory + Int(name.node.start), text.utf8Start, name.count)
    }

    /// The decoded text of a name.
    public func string(of name: JSONMembers.Name) -> String { string(name.node) }
}
