package import Glibc
import Support

/// A picture, a sound, a video or a style sheet for the players' pages. All replies with the file share its content.
package final class MediaFile {
    /// The MIME type.
    package let type: StaticString
    /// Whether the file is an operator's own page.
    var isDocument: Bool { "\(type)".hasPrefix("text/html") }
    /// The value of the header `ETag`, which changes when the file changes.
    package var tag: String {
        "\"\(stamp.inode)-\(stamp.size)-\(stamp.seconds).\(stamp.nanoseconds)\""
    }
    /// The attributes that show whether the file has changed since it was read.
    let stamp: Stamp
    let content: Content

    /// Where the bytes of a file are.
    enum Content {
        /// In memory.
        case memory([UInt8])
        /// On the disk, because a video is long. A program that writes a new file under the same name does not change this one.
        case disk(PassedFile)
    }

    /// The attributes of a file that stat(2) returns and that differ after a change.
    package struct Stamp: Equatable {
        package let inode: ino_t
        /// In bytes.
        package let size: Int
        /// The time of the last modification: seconds of Unix time, and the nanoseconds of the second.
        package let seconds: Int
        package let nanoseconds: Int
    }

    /// Keeps the file that `descriptor` refers to open. Nil if the process has no descriptor left.
    init?(onDisk descriptor: Int32, _ stamp: Stamp, type: StaticString) {
        (self.stamp, self.type) = (stamp, type)
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        content = .disk(PassedFile(owning: copy))
    }

    /// Reads the file that `descriptor` refers to, up to the size in `stamp`. Nil if the file cannot be read, or is shorter.
    init?(_ descriptor: Int32, _ stamp: Stamp, type: StaticString) {
        (self.stamp, self.type) = (stamp, type)
        let bytes = SystemFile.bytes(of: descriptor, at: 0, upTo: stamp.size)
        guard let bytes, bytes.count == stamp.size else { return nil }
        content = .memory(bytes)
    }
}
