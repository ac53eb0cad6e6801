import Glibc
import Testing

/// A daemon of its own for a test: started, spoken to, and ended with it.
final class DaemonProcess {
    let socket: String
    private let process: ChildProcess
    var pid: pid_t { process.pid }
    /// What the daemon said on standard error so far.
    var said: String { process.said }

    /// The programs under test stand beside the test's own.
    static let directory: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, 4095)
        let whole = String(
            decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(whole[..<(whole.lastIndex(of: "/") ?? whole.startIndex)])
    }()

    /// A path for a socket that no other test uses.
    static func freshSocket() -> String {
        "/tmp/gamed-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
    }

    /// Starts the daemon and waits until it says that it listens, or other words, or that it does not. With a `fileSize` no
    /// file of its may grow beyond that. A `launcher` is a program that becomes the daemon.
    init(
        _ arguments: [String] = [], socket: String = freshSocket(), environment: [String] = [],
        fileSize: Int? = nil, by launcher: [String] = [], until words: String = "listens at"
    ) throws {
        self.socket = socket
        // prlimit(1) becomes the daemon.
        let limits = fileSize.map { ["/usr/bin/prlimit", "--fsize=\($0):unlimited"] } ?? []
        process = try ChildProcess(
            launcher + limits + ["\(Self.directory)/gamed", "--socket", socket] + arguments,
            environment,
            talksBy: [2])
        _ = waitFor(words)
    }

    deinit { unlink(socket) }

    /// Reads what the daemon says until it has said `words`, or has ended; whether it has said them.
    func waitFor(_ words: String, times: Int = 1) -> Bool { process.waitFor(words, times: times) }

    /// Where its page is, `http://127.0.0.1:8080`, the first of several; empty without one.
    var web: String { webs.first ?? "" }
    /// Where its page is, each address in the order in which it was opened.
    var webs: [String] {
        said.split(separator: "\n").compactMap { line in
            guard let start = line.firstRange(of: "web at ")?.upperBound else { return nil }
            let place = line[start...].prefix { $0 != " " && $0 != "," }
            return String(place.hasSuffix("/") ? place.dropLast() : place)
        }
    }
    /// Where lines come in over TCP, `127.0.0.1:7001`; empty if they do not.
    var lines: String {
        let plain = said(after: "lines over TCP at ", upTo: "\n")
        return plain.isEmpty ? said(after: "lines over TLS at ", upTo: "\n") : plain
    }

    private func said(after beginning: String, upTo end: String) -> String {
        guard let start = said.firstRange(of: beginning)?.upperBound,
            let stop = said[start...].firstRange(of: end)?.lowerBound
        else { return "" }
        return String(said[start..<stop])
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Waits until the daemon has ended: its exit status, or minus the signal that killed it.
    @discardableResult func waitForEnd() -> Int32 { process.waitForEnd() }

    var socketExists: Bool { access(socket, F_OK) == 0 }

    /// The daemon's resident memory, in bytes.
    var memory: Int {
        let text = Self.contents(of: "/proc/\(pid)/statm").split(separator: " ")
        return text.count > 1 ? (Int(text[1]) ?? 0) * 4096 : 0
    }

    private static func contents(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
