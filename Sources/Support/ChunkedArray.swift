/// An append-only array in chunks of memory, so that growing moves no elements and wastes at most
/// one chunk.
public struct ChunkedArray<Element> {
    @usableFromInline var chunks: [[Element]] = []
    @inlinable public var count: Int { elementCount }
    @usableFromInline var elementCount = 0
    /// The binary logarithm of the number of elements in a chunk.
    @usableFromInline static var chunkBits: Int { 10 }

    public init() {}

    @inlinable public var indices: Range<Int> { 0..<count }

    @inlinable public subscript(_ index: Int) -> Element {
        get { chunks[index >> Self.chunkBits][index & (1 << Self.chunkBits - 1)] }
        _modify { yield &chunks[index >> Self.chunkBits][index & (1 << Self.chunkBits - 1)] }
    }

    @inlinable public mutating func append(_ element: Element) {
        if count & (1 << Self.chunkBits - 1) == 0 { addChunk() }
        chunks[chunks.count - 1].append(element)
        elementCount += 1
    }

    /// The number of elements in a chunk.
    public static var chunkSize: Int { 1 << chunkBits }

    /// Frees the chunk that contains the element at `index`. The elements of this chunk must not be used any longer.
    public mutating func dropChunk(of index: Int) { chunks[index >> Self.chunkBits] = [] }

    @usableFromInline mutating func addChunk() {
        chunks.append([])
        chunks[chunks.count - 1].reserveCapacity(1 << Self.chunkBits)
    }
}

extension ChunkedArray: Sendable where Element: Sendable {}
