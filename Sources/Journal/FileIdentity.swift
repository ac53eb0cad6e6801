internal import Glibc

/// Which file stood at a path when it was opened: an open file goes on taking what is written to it when its
/// name is gone or belongs to another file, and nobody finds it there again.
struct FileIdentity: Equatable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The file at a path; nil where there is none. Wraps stat(2).
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_nlink > 0 else { return nil }
        (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    /// Whether the same file still stands at its path.
    var isInPlace: Bool { FileIdentity(path) == self }
}
