internal import Journal
internal import Sessions
internal import Support

/// The rows from which the sessions are restored: for each session, the newest row with the session's state. A session is
/// identified by its number, from 0, in the `JournalScan`. The bytes are stored undecoded, because most rows are never decoded.
struct NewestRows {
    /// A session that has a row. It contains only plain numbers, because there may be a million sessions.
    private struct StoredSession {
        // The properties from here to `kind` describe the newest row with the session's state.
        var position = 0
        var seq = 0
        var atNs: Int64 = 0
        /// The location of the row's body and id in `bytes`.
        var piece = ByteBlocks.Piece()
        /// The session's requests with an id are numbered from 1. This is the number of the request that caused the row; 0 if
        /// no request with an id caused the row. The request's id is stored after the row's body.
        var idNumber = 0
        /// The length of the id in bytes; -1 for none.
        var idByteCount: Int32 = -1
        var kind = SessionRecord.Kind.change
        /// The newest row of any kind; `start` if the session has no undamaged row.
        var newestRow = JournalPosition.start
        /// The position of the first row of the present session of that name.
        var firstPosition = 0
    }

    private var sessions = ChunkedArray<StoredSession>()
    /// The number of sessions in each chunk of `sessions` that have a row and were not taken.
    private var untaken: [Int] = []
    /// The bodies and ids of the rows.
    private var bytes = ByteBlocks()

    /// Adds an undamaged, readable row of the session with that number.
    mutating func add(_ row: JournalRow, _ number: Int) {
        while sessions.count <= number { sessions.append(StoredSession()) }
        if sessions[number].newestRow == .start { addToChunk(of: number) }
        // A refusal has no state; it is stored only if the session has no other row.
        if row.kind != .refusal || sessions[number].newestRow == .start { store(row, number) }
        sessions[number].newestRow = row.journalPosition
        if row.previous == .start { sessions[number].firstPosition = row.position }
    }

    /// Stores a row in place of the session's previous one.
    private mutating func store(_ row: JournalRow, _ number: Int) {
        var piece = sessions[number].piece
        if let id = row.id {
            bytes.replace(&piece, (row.body + Array(id.text.utf8)).span)
        } else {
            bytes.replace(&piece, row.body.span)
        }
        sessions[number].piece = piece
        sessions[number].position = row.position
        sessions[number].seq = row.seq
        sessions[number].atNs = row.atNs
        sessions[number].kind = row.kind
        sessions[number].idNumber = row.id?.number ?? 0
        sessions[number].idByteCount = row.id.map { Int32(clamping: $0.text.utf8.count) } ?? -1
    }

    /// The position of the first row of the session with that number; 0 if unknown.
    func firstPosition(of number: Int) -> Int {
        number < sessions.count ? sessions[number].firstPosition : 0
    }

    /// The numbers of the sessions that have a row, in the order of their newest rows.
    var inOrder: [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(sessions.count)
        var (last, isSorted) = (0, true)
        for number in sessions.indices where sessions[number].newestRow != .start {
            numbers.append(number)
            isSorted = isSorted && sessions[number].newestRow.position > last
            last = sessions[number].newestRow.position
        }
        if !isSorted {
            numbers.sort {
                sessions[$0].newestRow.position < sessions[$1].newestRow.position
            }
        }
        return numbers
    }

    /// What the front of the session's row says about its timers; nil if the session must be decoded at the start.
    func timerBounds(of number: Int, _ reader: inout RecordReader) -> TimerBounds? {
        let stored = sessions[number]
        guard stored.kind != .refusal else { return nil }
        let front = bytes.read(stored.piece) { try? reader.front($0) }
        guard let front, let order = front.order else { return nil }
        return TimerBounds(deadline: front.deadline, order: order)
    }

    /// The name of the session's flow; nil if its row does not begin with it.
    func flow(of number: Int, _ reader: inout RecordReader) -> String? {
        bytes.read(sessions[number].piece) { try? reader.flow($0) }
    }

    /// Decodes the row of the session with this number and name, which has a row. Releases the memory of the row, because the
    /// restored sessions need much memory themselves. Must be called only once for each session.
    mutating func take(_ number: Int, _ name: String, _ reader: inout RecordReader)
        throws(UnreadableRowError) -> (SessionRecord, Checkpoint)
    {
        let stored = sessions[number]
        defer {
            bytes.free(stored.piece)
            untaken[chunk(of: number)] -= 1
            if untaken[chunk(of: number)] == 0 { sessions.dropChunk(of: number) }
        }
        return try session(stored, name, &reader)
    }

    private func chunk(of number: Int) -> Int { number / ChunkedArray<StoredSession>.chunkSize }

    private mutating func addToChunk(of number: Int) {
        while untaken.count <= chunk(of: number) { untaken.append(0) }
        untaken[chunk(of: number)] += 1
    }

    /// Decodes a session's row.
    private func session(_ stored: StoredSession, _ name: String, _ reader: inout RecordReader)
        throws(UnreadableRowError) -> (SessionRecord, Checkpoint)
    {
        try bytes.read(stored.piece) { (bytes) throws(UnreadableRowError) in
            var (body, id): (Span<UInt8>, JournalRow.RequestID?) = (bytes, nil)
            if stored.idByteCount >= 0 {
                body = bytes.extracting(droppingLast: Int(stored.idByteCount))
                let text = bytes.extracting(last: Int(stored.idByteCount))
                    .withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
                id = JournalRow.RequestID(text, number: stored.idNumber)
            }
            let head = RowHead(
                stored.kind, position: stored.position, session: name, seq: stored.seq,
                atNs: stored.atNs, id: id)
            let record = try reader.record(head, body)
            return (
                record,
                Checkpoint(
                    record, newestRow: stored.newestRow, firstRow: stored.firstPosition)
            )
        }
    }
}

/// Stores many short byte strings in few large blocks: a million arrays would take twice the
/// memory.
struct ByteBlocks {
    /// The location of a byte string.
    struct Piece {
        /// The index of the block.
        fileprivate var block: Int32 = 0
        fileprivate var offset: Int32 = 0
        fileprivate var count: Int32 = 0
        /// The number of bytes that are reserved for the string; 0 if the piece is in no block.
        fileprivate var room: Int32 = 0
    }

    private struct Block {
        var bytes: [UInt8]
        /// The number of bytes reserved for pieces.
        var reserved = 0
        /// The number of pieces in use.
        var pieces = 0
    }

    private var blocks: [Block] = []
    /// The size of a block in bytes. A block for a longer string has the size of the string.
    private static let blockSize = 1 << 16

    /// Replaces the bytes of a piece. Moves the piece if the new bytes need more room than is reserved.
    mutating func replace(_ piece: inout Piece, _ bytes: Span<UInt8>) {
        // The conversion never changes the number: no row has 2 GiB.
        let count = Int32(clamping: bytes.count)
        if count > piece.room {
            // Reserves at least twice the previous size, so that repeated replacement leaves little
            // unused memory.
            let (double, isTooMuch) = piece.room.multipliedReportingOverflow(by: 2)
            free(piece)
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

    /// Reserves `room` bytes. If the last block has too little room, adds a block.
    private mutating func add(room: Int32) -> Piece {
        let room = Int(room)
        if blocks.last.map({ $0.bytes.count - $0.reserved < room }) ?? true {
            let size = max(room, Self.blockSize)
            blocks.append(Block(bytes: [UInt8](repeating: 0, count: size)))
        }
        let last = blocks.count - 1
        let offset = blocks[last].reserved
        blocks[last].reserved += room
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
    mutating func free(_ piece: Piece) {
        let block = Int(piece.block)
        guard piece.room > 0 else { return }
        blocks[block].pieces -= 1
        if blocks[block].pieces == 0, block < blocks.count - 1 { blocks[block].bytes = [] }
    }
}
