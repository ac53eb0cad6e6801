import EventLoop
import Support

/// Reads a part of a file in pieces, each on a thread of its own, because a disk may be slow. `HTTPConnection` asks for the next
/// piece when it has sent the one before, so that a slow client needs no memory. All calls are on the loop's thread.
final class FilePieces {
    private let file: PassedFile
    /// The bytes that were not read yet.
    private var rest: Range<Int>
    private let inbox: ThreadInbox<[UInt8]?>
    /// Passes the pieces on while it exists.
    private let watcher: DescriptorWatcher

    /// The maximum size of a piece in bytes.
    static let pieceSize = 256 << 10

    /// Calls `receive` with each piece; with nil if it cannot be read, or if the file is shorter by now.
    init(
        _ file: PassedFile, _ range: Range<Int>, on loop: LibeventLoop,
        _ receive: @escaping ([UInt8]?) -> Void
    ) throws(EventLoopError) {
        (self.file, rest) = (file, range)
        inbox = try ThreadInbox()
        watcher = try inbox.open(on: loop, receive)
    }

    /// The number of bytes that were not read yet.
    var count: Int { rest.count }

    /// Begins to read the next piece. There must be one. Throws if a thread cannot be started.
    func readNext() throws(EventLoopError) {
        let piece = rest.prefix(Self.pieceSize)
        rest = rest.dropFirst(piece.count)
        try WorkerThread.start { [file, inbox] in
            inbox.send(Self.read(file.descriptor, piece))
        }
    }

    /// The bytes of a piece; nil if it cannot be read completely. Called on the reading thread.
    private static func read(_ descriptor: Int32, _ piece: Range<Int>) -> [UInt8]? {
        let bytes = SystemFile.bytes(of: descriptor, at: piece.lowerBound, upTo: piece.count)
        return bytes?.count == piece.count ? bytes : nil
    }
}
