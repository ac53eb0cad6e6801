import Glibc

/// A file with a password, which only its owner may read.
enum PasswordFile {
    /// The maximum size in bytes.
    static let limit = 1024

    /// The password, without the end of its line. Throws a sentence for the operator.
    static func read(_ path: String) throws(PasswordFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw PasswordFileError(why: "\(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PasswordFileError(why: "\(path): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw PasswordFileError(
                why: "\(path): others may read it; its mode must be 0600 or stricter")
        }
        var room = [UInt8](repeating: 0, count: limit + 1)
        let count = Glibc.read(descriptor, &room, room.count)
        guard count >= 0 else {
            throw PasswordFileError(why: "\(path): \(String(cString: strerror(errno)))")
        }
        guard count <= limit else {
            throw PasswordFileError(why: "\(path): longer than \(limit) bytes")
        }
        return Array(room[..<count].prefix { $0 != 0x0A && $0 != 0x0D })
    }
}

/// The reason why a password file cannot be used.
struct PasswordFileError: Error {
    let why: String
}
