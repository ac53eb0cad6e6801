/// Many short pieces of bytes in few large blocks: a million arrays would take twice the memory.
struct ByteBlocks {
    /// Where a piece stands.
    struct Piece {
        fileprivate var block: Int32 = 0
        fileprivate var offset: Int32 = 0
        fileprivate var count: Int32 = 0
        /// How many bytes there is room for.
        fileprivate var room: Int32 = 0
    }

    private var blocks: [[UInt8]] = []
    private static let blockSize = 1 << 16

    /// Puts bytes in the place of a piece; elsewhere, if there is no room for them.
    mutating func put(_ piece: inout Piece, _ bytes: Span<UInt8>) {
        // No row is as long as would be cut off here.
        let count = Int32(clamping: bytes.count)
        if count > piece.room {
            // Twice the room of before: however often a piece is put, little is left unused.
            let (double, isTooMuch) = piece.room.multipliedReportingOverflow(by: 2)
            piece = add(room: isTooMuch ? count : max(count, double))
        }
        piece.count = count
        guard count > 0 else { return }
        let start = Int(piece.offset)
        bytes.withUnsafeBytes { from in
            blocks[Int(piece.block)].withUnsafeMutableBytes { to in
                UnsafeMutableRawBufferPointer(rebasing: to[start...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: from[..<Int(count)]))
            }
        }
    }

    private mutating func add(room: Int32) -> Piece {
        if (blocks.last?.count ?? Self.blockSize) + Int(room) > Self.blockSize {
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(max(Int(room), Self.blockSize))
        }
        let last = blocks.count - 1
        let offset = blocks[last].count
        blocks[last].append(contentsOf: repeatElement(0, count: Int(room)))
        return Piece(block: Int32(last), offset: Int32(offset), count: 0, room: room)
    }

    /// Calls `read` with the bytes of a piece.
    func read<T, E: Error>(_ piece: Piece, _ read: (Span<UInt8>) throws(E) -> T) throws(E) -> T {
        let block = piece.count == 0 ? [] : blocks[Int(piece.block)]
        let start = piece.count == 0 ? 0 : Int(piece.offset)
        return try read(block.span.extracting(start..<start + Int(piece.count)))
    }
}
