import Foundation

/// The entries of a directory: which names its files have. They become durable apart from the files.
enum DirectoryEntries {
    /// Returns when the entries of a directory are on the disk: new files have their names, and removed ones have none.
    static func synchronize(_ directory: URL) throws {
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw lastError }
        defer { close(descriptor) }
        // Some network file systems have nothing to do for a directory, and say so with EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw lastError }
    }

    /// The error of the last call.
    static var lastError: any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
