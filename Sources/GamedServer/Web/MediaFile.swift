import CEventHTTP
import Glibc

/// A picture, a sound or a style sheet for the players' pages, in memory. All replies with the file share its bytes.
final class MediaFile {
    /// The MIME type.
    let type: String
    /// The value of the header `ETag`, which changes when the file changes.
    var tag: String { "\"\(stamp.inode)-\(stamp.size)-\(stamp.seconds).\(stamp.nanoseconds)\"" }
    /// The attributes that show whether the file has changed since it was read.
    let stamp: Stamp
    private let bytes: UnsafeMutableRawBufferPointer

    /// The attributes of a file that stat(2) returns and that differ after a change.
    struct Stamp: Equatable {
        let inode: ino_t
        /// In bytes.
        let size: Int
        /// The time of the last modification: seconds of Unix time, and the nanoseconds of the second.
        let seconds: Int
        let nanoseconds: Int
    }

    /// The size in bytes.
    var count: Int { bytes.count }

    /// Reads the file that `descriptor` refers to, up to the size in `stamp`. Nil if the file cannot be read, or is shorter.
    init?(_ descriptor: Int32, _ stamp: Stamp, type: String) {
        (self.stamp, self.type) = (stamp, type)
        bytes = .allocate(byteCount: stamp.size, alignment: 1)
        var filled = 0
        while filled < bytes.count {
            let count = read(descriptor, bytes.baseAddress! + filled, bytes.count - filled)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        guard filled == bytes.count else { return nil }
    }

    deinit { bytes.deallocate() }

    /// Appends the bytes to an `evbuffer` without copying them, and retains this object until they are sent. Wraps
    /// `evbuffer_add_reference`.
    func append(to buffer: OpaquePointer) {
        let me = Unmanaged.passRetained(self)
        let result = evbuffer_add_reference(
            buffer, bytes.baseAddress, bytes.count,
            { _, _, me in Unmanaged<MediaFile>.fromOpaque(me!).release() }, me.toOpaque())
        if result != 0 { me.release() }
    }
}
