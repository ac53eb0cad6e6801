/// Stores many short byte strings in few large blocks: a million arrays would take twice the
/// memory.
struct ByteBlocks {
    /// The location of a byte string.
    struct Piece {
        fileprivate var block: Int32 = 0
        fileprivate var offset: Int32 = 0
        fileprivate var count: Int32 = 0
        /// The number of bytes reserved for it.
        fileprivate var room: Int32 = 0
    }

    private struct Block {
        var bytes: [UInt8]
        /// The number of bytes reserved in the block, and the number of pieces in use.
        var taken = 0
        var pieces = 0
    }

    private var blocks: [Block] = []
    private static let blockSize = 1 << 16

    /// Replaces the bytes of a piece; moves the piece if there is not enough room.
    mutating func put(_ piece: inout Piece, _ bytes: Span<UInt8>) {
        // No row is long enough to be truncated here.
        let count = Int32(clamping: bytes.count)
        if count > piece.room {
            // Reserves at least twice the previous size, so that repeated replacement leaves little
            // unused memory.
            let (double, isTooMuch) = piece.room.multipliedReportingOverflow(by: 2)
            drop(piece)
            piece = add(room: isTooMuch ? count : max(count, double))
        }
        piece.count = count
        guard count > 0 else { return }
        let start = Int(piece.offset)
        bytes.withUnsafeBytes { from in
            blocks[Int(piece.block)].bytes.withUnsafeMutableBytes { to in
                UnsafeMutableRawBufferPointer(rebasing: to[start...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: from[..<Int(count)]))
            }
        }
    }

    private mutating func add(room: Int32) -> Piece {
        let room = Int(room)
        if blocks.last.map({ $0.bytes.count - $0.taken < room }) ?? true {
            let size = max(room, Self.blockSize)
            blocks.append(Block(bytes: [UInt8](repeating: 0, count: size)))
        }
        let last = blocks.count - 1
        let offset = blocks[last].taken
        blocks[last].taken += room
        blocks[last].pieces += 1
        return Piece(block: Int32(last), offset: Int32(offset), count: 0, room: Int32(room))
    }

    /// Calls `read` with the bytes of a piece.
    func read<T, E: Error>(_ piece: Piece, _ read: (Span<UInt8>) throws(E) -> T) throws(E) -> T {
        let bytes = piece.count == 0 ? [] : blocks[Int(piece.block)].bytes
        let start = piece.count == 0 ? 0 : Int(piece.offset)
        let piece = bytes.span.extracting(droppingFirst: start).extracting(first: Int(piece.count))
        return try read(piece)
    }

    /// Frees a piece. The memory of a block without pieces is released, unless it is the last
    /// block.
    mutating func drop(_ piece: Piece) {
        let block = Int(piece.block)
        guard piece.room > 0 else { return }
        blocks[block].pieces -= 1
        if blocks[block].pieces == 0, block < blocks.count - 1 { blocks[block].bytes = [] }
    }
}
