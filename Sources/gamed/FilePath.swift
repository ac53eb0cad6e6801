import Glibc

/// What a path says of a file.
enum FilePath {
    /// The directory that it is in.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether there is something at a path that is not a regular file: opening a pipe would block until its
    /// other end is opened. Wraps stat(2).
    static func isIrregular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Brings a directory's entries to the disk; false if that failed, for the reason in `errno`. Wraps fsync(2).
    static func syncDirectory(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let result = fsync(descriptor)
        let error = errno
        close(descriptor)
        errno = error
        return result == 0
    }

    /// The absolute path without links; nil if there is nothing at the path. Wraps realpath(3).
    static func resolved(_ path: String) -> String? {
        guard let whole = realpath(path, nil) else { return nil }
        defer { free(whole) }
        return String(cString: whole)
    }
}
