import Glibc
import Journal
import RPC

/// The access tokens: a line with the name and SHA-256 hash of each, and `url` if it is for URLs. Without a file, the
/// tokens exist only until the daemon ends.
struct TokenFile {
    enum TokenError: Error, Equatable {
        case name(String)
        case file(String)
        case limit(Int)
    }

    static let limit = 1000
    let path: String?
    private var tokens: [Token] = []

    private struct Token {
        let name: String
        let secret: Secret
        /// Whether it may be in a URL, and is good for nothing else.
        let isForURLs: Bool
    }

    /// Reads the file, if there is one.
    init(_ path: String?) throws(TokenError) {
        self.path = path
        try read()
    }

    /// The lines of the file: the name and hash of each token.
    var text: String {
        tokens.map { "\($0.name) \($0.secret.text)\($0.isForURLs ? " url" : "")\n" }.joined()
    }

    var names: [String] { tokens.map(\.name).sorted() }

    /// The name of a token, of those for URLs or of the others; nil if there is no such token. Compares with all tokens,
    /// so that the duration reveals nothing.
    func name(of token: String, isForURLs: Bool = false) -> String? {
        let shown = Secret(of: token)
        var found: String?
        for known in tokens where known.secret.matches(shown) && known.isForURLs == isForURLs {
            found = known.name
        }
        return found
    }

    mutating func add(_ name: String, isForURLs: Bool = false) throws(TokenError) -> String {
        guard Principal.isTokenName(name) else { throw .name("1 to 64 of A-Z a-z 0-9 . _ -") }
        guard !tokens.contains(where: { $0.name == name }) else {
            throw .name("\(name) exists already; remove it first")
        }
        guard tokens.count < Self.limit else { throw .limit(Self.limit) }
        guard let (token, secret) = Secret.make() else { throw .file("no randomness") }
        try change { $0.append(Token(name: name, secret: secret, isForURLs: isForURLs)) }
        return token
    }

    mutating func remove(_ name: String) throws(TokenError) {
        guard tokens.contains(where: { $0.name == name }) else {
            throw .name("there is no token \(name)")
        }
        try change { $0.removeAll { $0.name == name } }
    }

    /// If the file cannot be written, the change is undone.
    private mutating func change(_ body: (inout [Token]) -> Void)
        throws(TokenError)
    {
        let before = tokens
        body(&tokens)
        do throws(TokenError) { try write() } catch {
            tokens = before
            throw error
        }
    }

    // MARK: the file

    /// Whether a name has the same token in another file.
    func has(_ name: String, as other: TokenFile) -> Bool {
        func secret(_ file: TokenFile) -> Secret? { file.tokens.first { $0.name == name }?.secret }
        return secret(self) != nil && secret(self) == secret(other)
    }

    /// Reads the file again; changes nothing if that fails.
    mutating func read() throws(TokenError) {
        guard let path else { return }
        guard !FilePath.isIrregular(path) else { throw .file("\(path): not a regular file") }
        guard let file = fopen(path, "re") else {
            if errno == ENOENT {
                tokens = []
                return
            }
            throw .file("\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.limit * 256)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw Self.failed(path) }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        var read: [Token] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated() where !line.isEmpty && line.first != "#"
        {
            let words = line.split(separator: " ")
            let isForURLs = words.count == 3 && words[2] == "url"
            guard words.count == 2 || isForURLs, Principal.isTokenName(String(words[0])),
                let secret = Secret(hash: words[1])
            else {
                throw .file("\(path):\(number + 1):1: expected a name and 64 hexadecimal digits")
            }
            read.append(
                Token(name: String(words[0]), secret: secret, isForURLs: isForURLs))
        }
        tokens = read
    }

    /// Writes a file with the lines of another one.
    static func restore(_ text: String, at path: String) throws(TokenError) {
        try write(text, to: path)
    }

    private func write() throws(TokenError) {
        if let path { try Self.write(text, to: path) }
    }

    /// Replaces the file atomically, so that after a power failure either the old or the new one is
    /// complete.
    private static func write(_ lines: String, to path: String) throws(TokenError) {
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

    private static func failed(_ path: String) -> TokenError {
        .file("\(path): \(String(cString: strerror(errno)))")
    }
}
