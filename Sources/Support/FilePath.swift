import Glibc

/// Functions for the paths of files and for directories.
package enum FilePath {
    /// The directory that a file is in.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether something exists at the path that is not a regular file. Check this before opening a file: to open a named pipe
    /// would block until another process opens its other end. Wraps stat(2).
    package static func isIrregular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// The names in the directory at a path that do not begin with a dot, sorted. Nil, with the reason in `errno`, if the
    /// directory cannot be opened. Wraps opendir(3).
    package static func names(inDirectory path: String) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        return names(in: directory)
    }

    /// The names in an open directory that do not begin with a dot, sorted. Wraps readdir(3).
    package static func names(in directory: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(directory) {
            // Linux: `d_name` has 256 bytes, with the 0 that ends the name.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes the entries of a directory durable, such as the entry of a file that was created or renamed. Returns false, with
    /// the reason in `errno`, if that fails. Wraps fsync(2).
    package static func syncDirectory(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let result = fsync(descriptor)
        let error = errno
        close(descriptor)
        errno = error
        return result == 0
    }

    /// The absolute path without symbolic links; nil if the path does not exist. Wraps realpath(3).
    package static func resolved(_ path: String) -> String? {
        guard let resolvedPath = realpath(path, nil) else { return nil }
        defer { free(resolvedPath) }
        return String(cString: resolvedPath)
    }
}
