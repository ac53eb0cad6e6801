internal import Glibc

/// The identity of the file at a path, recorded when the file was opened, so that a store notices if the file was replaced. An
/// open file still accepts writes after its name was removed or given to another file, but its data is lost when it is closed.
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
