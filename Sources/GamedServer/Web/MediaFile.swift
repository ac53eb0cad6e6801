import CEventHTTP
import Glibc

/// A picture, a sound or a style sheet for the players' pages, in memory. All requests for it share the bytes.
final class MediaFile {
    let type: String
    /// The `ETag` of the file, which changes when the file does.
    var tag: String { "\"\(stamp.inode)-\(stamp.size)-\(stamp.seconds).\(stamp.nanoseconds)\"" }
    /// The attributes that show whether the file has changed since it was read.
    let stamp: Stamp
    private let bytes: UnsafeMutableRawBufferPointer

    struct Stamp: Equatable {
        let inode: ino_t
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    var count: Int { bytes.count }

    /// Reads an open file of the size in `stamp`. Fails if the file cannot be read, or is shorter.
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

    /// Appends the bytes without copying them, and retains this object until they are sent. Wraps `evbuffer_add_reference`.
    func append(to buffer: OpaquePointer) {
        let me = Unmanaged.passRetained(self)
        let result = evbuffer_add_reference(
            buffer, bytes.baseAddress, bytes.count,
            { _, _, me in Unmanaged<MediaFile>.fromOpaque(me!).release() }, me.toOpaque())
        if result != 0 { me.release() }
    }
}
