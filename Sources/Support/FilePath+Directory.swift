#if canImport(Glibc)
    internal import Glibc

    /// Functions for directories. Only the daemon uses them.
    extension FilePath {
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
    }
#endif
