import Access
import Glibc
import Journal

/// The tokens by which peers are let in: their names, and what SHA-256 makes of them, a line each. Without a
/// file they last as long as the daemon.
struct TokenFile {
    enum Failure: Error, Equatable {
        case name(String)
        case file(String)
        case limit(Int)
    }

    static let limit = 1000
    let path: String?
    private var secrets: [(name: String, secret: Secret)] = []

    /// Reads the file, if there is one.
    init(_ path: String?) throws(Failure) {
        self.path = path
        try read()
    }

    /// The lines of the file: each token's name, and its hash.
    var text: String { secrets.map { "\($0.name) \($0.secret.text)\n" }.joined() }

    var names: [String] { secrets.map(\.name).sorted() }

    /// The name of a token, if it is one. All are compared, so that the time it takes tells nothing.
    func name(of token: String) -> String? {
        let shown = Secret(of: token)
        var found: String?
        for (name, secret) in secrets where secret.matches(shown) { found = name }
        return found
    }

    mutating func add(_ name: String) throws(Failure) -> String {
        guard Principal.isTokenName(name) else { throw .name("1 to 64 of A-Z a-z 0-9 . _ -") }
        guard !secrets.contains(where: { $0.name == name }) else {
            throw .name("\(name) is there already; remove it first")
        }
        guard secrets.count < Self.limit else { throw .limit(Self.limit) }
        guard let (token, secret) = Secret.make() else { throw .file("no randomness") }
        try change { $0.append((name, secret)) }
        return token
    }

    mutating func remove(_ name: String) throws(Failure) {
        guard secrets.contains(where: { $0.name == name }) else {
            throw .name("there is no token \(name)")
        }
        try change { $0.removeAll { $0.name == name } }
    }

    /// What cannot be written has not happened.
    private mutating func change(_ body: (inout [(name: String, secret: Secret)]) -> Void)
        throws(Failure)
    {
        let before = secrets
        body(&secrets)
        do throws(Failure) { try write() } catch {
            secrets = before
            throw error
        }
    }

    // MARK: the file

    /// Whether a name stands for the same token as in another file.
    func has(_ name: String, as other: TokenFile) -> Bool {
        func secret(_ file: TokenFile) -> Secret? { file.secrets.first { $0.name == name }?.secret }
        return secret(self) != nil && secret(self) == secret(other)
    }

    /// Reads the file anew; nothing is changed if that cannot be done.
    mutating func read() throws(Failure) {
        guard let path else { return }
        guard !FilePath.isIrregular(path) else { throw .file("\(path): not a regular file") }
        guard let file = fopen(path, "re") else {
            if errno == ENOENT {
                secrets = []
                return
            }
            throw .file("\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.limit * 256)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw Self.failed(path) }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        var read: [(String, Secret)] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated() where !line.isEmpty && line.first != "#"
        {
            let words = line.split(separator: " ")
            guard words.count == 2, Principal.isTokenName(String(words[0])),
                let secret = Secret(hash: words[1])
            else {
                throw .file("\(path):\(number + 1):1: expected a name and 64 hexadecimal digits")
            }
            read.append((String(words[0]), secret))
        }
        secrets = read
    }

    /// Writes the lines of a file as they were taken from another.
    static func restore(_ text: String, at path: String) throws(Failure) {
        try write(text, to: path)
    }

    private func write() throws(Failure) {
        if let path { try Self.write(text, to: path) }
    }

    /// Puts a new file in the old one's place, so that a power cut leaves one of them whole.
    private static func write(_ lines: String, to path: String) throws(Failure) {
        let fresh = path + ".new"
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failed(fresh) }
        let bytes = Array(lines.utf8)
        let isWritten =
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count
            && fsync(descriptor) == 0
        let failure = failed(fresh)
        Glibc.close(descriptor)
        guard isWritten else {
            unlink(fresh)
            throw failure
        }
        guard rename(fresh, path) == 0 else { throw failed(path) }
        _ = FilePath.syncDirectory(FilePath.directory(of: path))
    }

    private static func failed(_ path: String) -> Failure {
        .file("\(path): \(String(cString: strerror(errno)))")
    }
}
