internal import Glibc

/// The identity of the file at a path, recorded when a store opened the file. With it, the store notices if another file was
/// put in place of the file. If the name of an open file was removed or given to another file, the open file still accepts
/// writes. But the data of the open file is lost when the file is closed.
struct FileIdentity: Equatable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The file at a path; nil if there is none. Wraps stat(2).
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_nlink > 0 else { return nil }
        (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    /// Whether the same file is still at its path.
    var isInPlace: Bool { FileIdentity(path) == self }
}
