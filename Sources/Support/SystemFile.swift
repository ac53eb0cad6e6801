#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

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

    /// Returns the bytes of an open file from an offset on, at most `count`; fewer at the end of the file. Nil, with the reason in
    /// `errno`, if they cannot be read. Wraps pread(2).
    package static func bytes(of descriptor: Int32, at offset: Int, upTo count: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
            while filled < count, let start = memory.baseAddress {
                let read = pread(
                    descriptor, start + filled, count - filled, off_t(offset + filled))
                if read < 0, errno == EINTR { continue }
                hasFailed = read < 0
                guard read > 0 else { break }
                filled += read
            }
        }
        return hasFailed ? nil : bytes
    }

    /// Returns the value of a variable of the process's environment; nil if it is not set.
    package static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
