import Glibc
import Testing

/// A daemon that a test starts. The daemon is killed when this object is released.
final class DaemonProcess {
    /// The path of the daemon's UNIX socket.
    let socket: String
    private let process: ChildProcess
    var pid: pid_t { process.pid }
    /// The part of the daemon's standard error that has been read.
    var output: String { process.output }

    /// The directory of the programs under test and of the test program.
    static let programDirectory: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, 4095)
        let program = String(
            decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
    }()

    /// A path for a socket, or for another file, that no other test uses.
    static func freshSocketPath() -> String {
        "/tmp/gamed-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
    }

    /// Starts the daemon and waits until its log contains `words`, or until it ends. Its files cannot grow beyond `fileSize`
    /// bytes. A `launcher` is a command to which the daemon's command line is appended, and which becomes the daemon.
    init(
        _ arguments: [String] = [], socket: String = freshSocketPath(), environment: [String] = [],
        fileSize: Int? = nil, by launcher: [String] = [], until words: String = "listens at"
    ) throws {
        self.socket = socket
        // prlimit(1) executes the daemon in its own process.
        let limits = fileSize.map { ["/usr/bin/prlimit", "--fsize=\($0):unlimited"] } ?? []
        process = try ChildProcess(
            launcher + limits + ["\(Self.programDirectory)/gamed", "--socket", socket] + arguments,
            environment: environment,
            connecting: [2])
        _ = waitFor(words)
    }

    deinit { unlink(socket) }

    /// Reads the log until it contains `words` at least `times` times. Returns false if the daemon ends before that.
    func waitFor(_ words: String, times: Int = 1) -> Bool { process.waitFor(words, times: times) }

    /// The first HTTP address in the log, such as `http://127.0.0.1:8080`; empty if there is none.
    var webAddress: String { webAddresses.first ?? "" }
    /// All HTTP addresses in the log, in the order in which they were opened.
    var webAddresses: [String] { addresses(after: "web at ") }
    /// The first address of `--metrics`; empty if there is none.
    var metricsAddress: String { addresses(after: "metrics at ").first ?? "" }

    private func addresses(after words: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            guard let start = line.firstRange(of: words)?.upperBound else { return nil }
            let address = line[start...].prefix { $0 != " " && $0 != "," }
            return String(address.hasSuffix("/") ? address.dropLast() : address)
        }
    }
    /// The address for lines over TCP, with or without TLS, such as `127.0.0.1:7001`. Empty if the daemon has no such address.
    var tcpAddress: String {
        let addressWithoutTLS = text(after: "lines over TCP at ", upTo: "\n")
        return addressWithoutTLS.isEmpty
            ? text(after: "lines over TLS at ", upTo: "\n") : addressWithoutTLS
    }

    private func text(after beginning: String, upTo end: String) -> String {
        guard let start = output.firstRange(of: beginning)?.upperBound,
            let stop = output[start...].firstRange(of: end)?.lowerBound
        else { return "" }
        return String(output[start..<stop])
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Waits for the end of the daemon and returns its exit status, or minus the signal that killed it.
    @discardableResult func waitForEnd() -> Int32 { process.waitForEnd() }

    var socketExists: Bool { access(socket, F_OK) == 0 }

    /// The daemon's resident memory, in bytes.
    var memory: Int {
        let pageCounts = Self.contents(of: "/proc/\(pid)/statm").split(separator: " ")
        return pageCounts.count > 1 ? (Int(pageCounts[1]) ?? 0) * 4096 : 0
    }

    private static func contents(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
