internal import Digest
internal import GameFlow
internal import Glibc
internal import Support

/// Reads the bytes of a flow file or of a table file from the disk.
///
/// It refuses everything that is not a regular file. It opens the file without waiting, so that a pipe or a device does
/// not block the caller. It reads at most one byte more than the file had when it was opened, however long it has become.
enum FlowFileText {
    /// The error for a file that cannot be read.
    struct ReadError: DescribedError {
        let why: String
    }

    /// Returns the bytes of the file at `path`. `limit` is the limit of its size. `followsLinks` says whether the file may be a
    /// symbolic link. Tests change the file in `whenRead`, which is called after the file was read and before it is checked for
    /// changes.
    static func read(
        _ path: String, limit: FlowFileLimit = .bytes, followsLinks: Bool = true,
        whenRead: () -> Void = {}
    ) throws(ReadError) -> [UInt8] {
        // A NUL would end the path early, and another file would be opened.
        guard !path.utf8.contains(0) else { throw ReadError(why: "the path contains a NUL") }
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = open(path, followsLinks ? flags : flags | O_NOFOLLOW)
        guard descriptor >= 0 else {
            throw ReadError(
                why: errno == ELOOP && !followsLinks ? "it is a symbolic link" : sentence(errno))
        }
        defer { close(descriptor) }
        let firstStatus = try status(of: descriptor)
        guard firstStatus.st_mode & S_IFMT != S_IFDIR else {
            throw ReadError(why: "it is a directory; name a file in it")
        }
        guard firstStatus.st_mode & S_IFMT == S_IFREG else {
            throw ReadError(why: "it is not a regular file but a device, a pipe or a socket")
        }
        guard firstStatus.st_size <= limit.maximum else { throw ReadError(why: limit.sentence) }
        let bytes = try readAll(descriptor, atMost: Int(firstStatus.st_size) + 1)
        whenRead()
        guard hasSameContent(firstStatus, try status(of: descriptor)),
            bytes.count == firstStatus.st_size
        else { throw ReadError(why: "it changed while it was read; try again") }
        return bytes
    }

    /// Returns the version of a flow: the first twelve hexadecimal digits of the SHA-256 of its text. Each table file adds a zero
    /// byte, its name, a zero byte and its bytes to the text.
    static func version(of text: [UInt8], _ tableFiles: [FlowSource.TableFile]) -> String {
        var bytes = text
        for file in tableFiles { bytes += [0] + Array(file.name.utf8) + [0] + file.bytes }
        return Hexadecimal.write(MessageDigest.sha256(bytes).prefix(6), uppercase: false)
    }

    private static func status(of descriptor: Int32) throws(ReadError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ReadError(why: sentence(errno)) }
        return status
    }

    /// Reads up to the end of the file, but at most `limit` bytes.
    private static func readAll(_ descriptor: Int32, atMost limit: Int) throws(ReadError) -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < bytes.count {
            let readCount = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            }
            if readCount == 0 { break }
            if readCount < 0, errno == EINTR { continue }
            guard readCount > 0 else { throw ReadError(why: sentence(errno)) }
            count += readCount
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Whether the file is unchanged between two calls of `fstat`: nothing was written to the file, and its name was not
    /// removed. Editors often replace a file with a new file of the same name. This removes the name of the old file.
    static func hasSameContent(_ before: stat, _ after: stat) -> Bool {
        before.st_size == after.st_size && before.st_nlink == after.st_nlink
            && before.st_mtim.tv_sec == after.st_mtim.tv_sec
            && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec
    }

    /// Returns the sentence for an `errno` of opening or reading a file.
    private static func sentence(_ error: Int32) -> String {
        switch error {
        case ENOENT: "there is no such file"
        case ELOOP: "its symbolic links form a loop"
        case EACCES: "it may not be read"
        case ENXIO, ENODEV: "it is not a regular file but a device, a pipe or a socket"
        default: String(cString: strerror(error))
        }
    }
}
