import Glibc

/// Checks whether the daemon could write to the paths in its options, and leaves no files behind.
enum WriteCheck {
    /// The reason why the state directory could not be used; nil if it could. A missing directory
    /// is created and removed again.
    static func obstacle(toKeepingIn directory: String) -> String? {
        if mkdir(directory, 0o750) == 0 {
            defer { rmdir(directory) }
            return obstacle(toMakingFilesIn: directory)
        }
        guard errno == EEXIST else { return "cannot make it: \(String(cString: strerror(errno)))" }
        return obstacle(toMakingFilesIn: directory)
    }

    /// The reason why no file could be created in a directory; nil if one could. Creates a file and
    /// removes it.
    static func obstacle(toMakingFilesIn directory: String) -> String? {
        let path = "\(directory)/.gamed-check-\(getpid())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            return "cannot make a file in it: \(String(cString: strerror(errno)))"
        }
        close(descriptor)
        unlink(path)
        return nil
    }
}
