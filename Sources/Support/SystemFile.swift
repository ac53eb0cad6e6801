import Glibc

/// A small file of the system, and the environment of the process, for modules that import no C library.
package enum SystemFile {
    /// Returns the contents of a file; nil if it cannot be read, is empty, or does not have less than `limit` bytes.
    package static func contents(of path: String, below limit: Int) -> [UInt8]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = fread(buffer.baseAddress, 1, limit, file)
        }
        return bytes.isEmpty || bytes.count == limit ? nil : bytes
    }

    /// Returns the value of a variable of the process's environment; nil if it is not set.
    package static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
