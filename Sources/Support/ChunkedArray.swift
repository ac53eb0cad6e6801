/// A list that only grows, in many pieces of memory: a million elements are never moved, and what is not used of the
/// last piece is little.
public struct ChunkedArray<Element> {
    @usableFromInline var chunks: [[Element]] = []
    @inlinable public var count: Int { total }
    @usableFromInline var total = 0
    @usableFromInline static var chunkBits: Int { 10 }

    public init() {}

    @inlinable public var indices: Range<Int> { 0..<count }

    @inlinable public subscript(_ place: Int) -> Element {
        get { chunks[place >> Self.chunkBits][place & (1 << Self.chunkBits - 1)] }
        _modify { yield &chunks[place >> Self.chunkBits][place & (1 << Self.chunkBits - 1)] }
    }

    @inlinable public mutating func append(_ element: Element) {
        if count & (1 << Self.chunkBits - 1) == 0 { addChunk() }
        chunks[chunks.count - 1].append(element)
        total += 1
    }

    /// How many elements have their memory in common.
    public static var chunkSize: Int { 1 << chunkBits }

    /// Gives back the memory of an element and of those that it has it in common with. None of them is there any more.
    public mutating func dropChunk(of place: Int) { chunks[place >> Self.chunkBits] = [] }

    @usableFromInline mutating func addChunk() {
        chunks.append([])
        chunks[chunks.count - 1].reserveCapacity(1 << Self.chunkBits)
    }
}

extension ChunkedArray: Sendable where Element: Sendable {}
