import Connections
import EventLoop
import GameFlow
import Glibc
import Testing

/// A client of the daemon. A call that reads waits for each line for at most two minutes.
final class Client {
    let descriptor: Int32
    /// The received bytes that no call has returned yet.
    private var buffer: [UInt8] = []

    /// Connects to the UNIX socket at a path.
    init(_ path: String) throws {
        descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let address = SocketAddress(path: path),
            address.withPointer({ connect(descriptor, $0, $1) }) == 0
        else { throw ChildProcess.Failure(why: "\(path): \(String(cString: strerror(errno)))") }
        setReceiveTimeout()
    }

    /// Connects over TCP to an address such as `127.0.0.1:7001`.
    init(tcp address: String) throws {
        descriptor = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = port.bigEndian
        let host = String(address.prefix { $0 != ":" })
        guard inet_pton(AF_INET, host, &socketAddress.sin_addr) == 1 else {
            throw ChildProcess.Failure(why: "\(address): not an IPv4 address")
        }
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard status == 0 else {
            throw ChildProcess.Failure(why: "\(address): \(String(cString: strerror(errno)))")
        }
        setReceiveTimeout()
    }

    private func setReceiveTimeout() {
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func write(_ text: String) {
        var remaining = Array(text.utf8)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            remaining = remaining.dropFirst(count)
        }
    }

    /// Writes as many bytes as the socket accepts without waiting, and returns their number.
    func writeWithoutWaiting(_ bytes: ArraySlice<UInt8>) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return max(0, bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) })
    }

    /// Reads the next line, and returns it without its end; nil at the end of input.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard waitForBytes() else { return nil }
        }
    }

    /// Reads the next line if it has been received, without waiting; otherwise returns nil.
    func availableLine() -> String? {
        _ = receive(flags: Int32(MSG_DONTWAIT))
        return buffer.contains(0x0A) ? line() : nil
    }

    /// Reads until the daemon ends the connection, and returns the text.
    func textUntilEnd() -> String {
        while waitForBytes() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Receives bytes, and waits if there are none yet. Returns false at the end of input.
    private func waitForBytes() -> Bool {
        let count = receive(flags: 0)
        if count < 0, errno == EAGAIN { Issue.record("no bytes were received for two minutes") }
        return count > 0
    }

    /// Repeats a request until its answer satisfies a condition, for at most two minutes. Returns the last answer.
    func ask(_ request: String, until isExpected: (String) -> Bool) -> String {
        var answer = ""
        _ = Wait.until {
            answer = ask(request)
            return isExpected(answer)
        }
        return answer
    }

    /// Repeats a request until its answer contains a text, for at most two minutes. Returns the last answer.
    func ask(_ request: String, until text: String) -> String {
        ask(request) { $0.contains(text) }
    }

    /// The number of bytes that can be read without waiting.
    var availableByteCount: Int {
        var bytes: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &bytes) == 0 else { return 0 }
        return Int(bytes)
    }

    /// Discards the lines that have been received, and returns their number.
    func discardLines() -> Int {
        while receive(flags: Int32(MSG_DONTWAIT)) > 0 {}
        let lineCount = buffer.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        buffer.removeFirst(buffer.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
        return lineCount
    }

    /// Appends received bytes to the buffer, and returns the result of recv(2).
    private func receive(flags: Int32) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { chunk in
            let count = recv(descriptor, chunk.baseAddress, chunk.count, flags)
            if count > 0 { buffer.append(contentsOf: chunk[..<count]) }
            return count
        }
    }

    /// Sends a request, waits for one line and returns it. The line may also be a notification or an earlier reply.
    func ask(_ request: String) -> String {
        write(request + "\n")
        return line() ?? "(the connection ended)"
    }

    /// Closes the sending side of the connection.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }
}
