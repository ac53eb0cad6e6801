#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Functions for the paths of files and for directories.
package enum FilePath {
    /// The directory that a file is in.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path with the working directory before it, unless it is absolute. Wraps getcwd(3).
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    /// Whether something exists at the path that is not a regular file. Check this before opening a file: to open a named pipe
    /// would block until another process opens its other end. Wraps stat(2).
    package static func isIrregular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// The absolute path without symbolic links; nil if the path does not exist. Wraps realpath(3).
    package static func resolved(_ path: String) -> String? {
        guard let resolvedPath = realpath(path, nil) else { return nil }
        defer { free(resolvedPath) }
        return String(cString: resolvedPath)
    }
}
