internal import Glibc
public import Support

/// A file with secrets, which only its owner may read: a password, or keys. The mode of a credential of the service manager is
/// not checked, because an access list can protect it.
public enum SecretFile {
    /// The maximum length of the file in bytes.
    public static let limit = 4096

    /// Returns the first line of the file, without its line end. Throws if the line is empty or contains a NUL byte. The
    /// sentence of an error does not contain the secret.
    public static func read(_ path: String) throws(SecretFileError) -> [UInt8] {
        let content = try content(of: path)
        var line = content.prefix { $0 != 0x0A }
        if line.last == 0x0D { line.removeLast() }
        guard !line.isEmpty, !line.contains(0) else {
            throw SecretFileError(why: "the first line of \(path) has to be a secret")
        }
        return Array(line)
    }

    /// The lines that are not empty, in order.
    public static func lines(_ path: String) throws(SecretFileError) -> [String] {
        let text = String(decoding: try content(of: path), as: UTF8.self)
        return text.split { $0.isNewline }.map { String($0) }
    }

    /// The content of the file. If the path names a pipe, the call does not block, but throws.
    private static func content(of path: String) throws(SecretFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .lastError(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .lastError(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SecretFileError(why: "\(path) is not a regular file")
        }
        guard status.st_mode & 0o077 == 0 || ServiceCredential.contains(path) else {
            throw SecretFileError(why: "\(path) can be read by others; chmod 600 it")
        }
        var buffer = [UInt8](repeating: 0, count: limit + 1)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw .lastError(path) }
        guard count <= limit else {
            throw SecretFileError(why: "\(path) is longer than \(limit) bytes")
        }
        return Array(buffer[..<count])
    }
}

/// The reason why a file with a secret cannot be used.
public struct SecretFileError: DescribedError, Sendable {
    public let why: String

    /// The error of the system call that has just failed, from `errno`.
    fileprivate static func lastError(_ path: String) -> SecretFileError {
        SecretFileError(why: "\(path): \(String(cString: strerror(errno)))")
    }
}
