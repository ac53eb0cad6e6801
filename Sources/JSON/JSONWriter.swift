/// Writes JSON into memory of its own, which grows and is used again.
///
/// Not an array of bytes: some forty short pieces make one reply, and an array checks for each whether
/// it is shared. The commas are its business: a value written where one stands before gets its comma.
public struct JSONWriter: ~Copyable {
    @usableFromInline var memory: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var end = 0

    public init(capacity: Int = 1024) {
        self.capacity = max(capacity, 64)
        memory = .allocate(capacity: self.capacity)
    }

    deinit { memory.deallocate() }

    // MARK: what was written

    /// How many bytes have been written.
    public var count: Int { end }

    /// The bytes written, for the length of the call.
    public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: memory, count: end))
    }

    /// A copy of the bytes written.
    public var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: memory, count: end)) }

    /// A copy of the bytes written from byte `start` on.
    public func bytes(from start: Int) -> [UInt8] {
        let start = min(max(0, start), end)
        return [UInt8](UnsafeBufferPointer(start: memory + start, count: end - start))
    }

    /// Whether a line begins here.
    public var isAtLineStart: Bool { end == 0 || memory[end - 1] == 0x0A }

    /// Forgets everything from byte `length` on; the memory stays.
    public mutating func truncate(to length: Int) { end = min(end, max(0, length)) }

    /// Forgets the first bytes; the others move up.
    public mutating func removeFirst(_ number: Int) {
        let number = min(max(0, number), end)
        memory.update(from: memory + number, count: end - number)
        end -= number
    }

    /// Gives memory back that a burst has left behind.
    public mutating func shrink(to size: Int) {
        guard end <= size, capacity > size else { return }
        resize(to: max(size, 64))
    }

    /// The bytes that `write` writes.
    public static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        write(&writer)
        return writer.bytes
    }

    // MARK: pieces

    /// A piece of text as it stands: the caller knows that it fits.
    @inlinable @inline(__always) public mutating func raw(_ piece: StaticString) {
        reserve(piece.utf8CodeUnitCount)
        (memory + end).update(from: piece.utf8Start, count: piece.utf8CodeUnitCount)
        end += piece.utf8CodeUnitCount
    }

    /// Bytes as they stand.
    @inlinable @inline(__always) public mutating func raw(_ piece: [UInt8]) {
        let count = piece.count
        reserve(count)
        piece.withUnsafeBufferPointer { piece in
            guard let start = piece.baseAddress else { return }
            (memory + end).update(from: start, count: count)
        }
        end += count
    }

    /// Ends a line.
    public mutating func newline() { put(0x0A) }

    mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
        guard let start = piece.baseAddress else { return }
        reserve(piece.count)
        (memory + end).update(from: start, count: piece.count)
        end += piece.count
    }

    @inlinable @inline(__always) mutating func put(_ byte: UInt8) {
        reserve(1)
        memory[end] = byte
        end += 1
    }

    @inlinable @inline(__always) mutating func reserve(_ more: Int) {
        if end + more > capacity { resize(to: max(capacity * 2, end + more)) }
    }

    @usableFromInline @inline(never) mutating func resize(to size: Int) {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        larger.update(from: memory, count: end)
        memory.deallocate()
        (memory, capacity) = (larger, size)
    }
}
