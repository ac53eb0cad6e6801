import GameFlow
import Glibc
import Shell
import Testing

/// A client of the daemon. It waits for each line, at most two minutes.
final class Client {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ socket: String) throws {
        descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let address = SocketPath.address(socket),
            SocketPath.with(address, { connect(descriptor, $0, $1) }) == 0
        else { throw ChildProcess.Failure(why: "\(socket): \(String(cString: strerror(errno)))") }
        setReceiveTimeout()
    }

    /// Connects over TCP to an address such as `127.0.0.1:7001`.
    init(tcp address: String) throws {
        descriptor = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        let host = String(address.prefix { $0 != ":" })
        guard inet_pton(AF_INET, host, &place.sin_addr) == 1 else {
            throw ChildProcess.Failure(why: "\(address): no address of IPv4")
        }
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard status == 0 else {
            throw ChildProcess.Failure(why: "\(address): \(String(cString: strerror(errno)))")
        }
        setReceiveTimeout()
    }

    private func setReceiveTimeout() {
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes as many bytes as the socket accepts without waiting, and returns their number.
    func writeWithoutWaiting(_ bytes: ArraySlice<UInt8>) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return max(0, bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) })
    }

    /// The next line, without its end; nil at the end of input.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// The next line, without its end, if it has been received; otherwise nil, without waiting.
    func availableLine() -> String? {
        _ = take(flags: Int32(MSG_DONTWAIT))
        return buffer.contains(0x0A) ? line() : nil
    }

    /// All bytes up to the end of input.
    func rest() -> String {
        while receive() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Receives bytes, and waits for the first if necessary; false at the end of input.
    private func receive() -> Bool {
        let count = take(flags: 0)
        if count < 0, errno == EAGAIN { Issue.record("no bytes were received for two minutes") }
        return count > 0
    }

    /// Repeats a request until its answer satisfies a condition, for at most two minutes. Returns the last answer.
    func ask(_ line: String, until isExpected: (String) -> Bool) -> String {
        var answer = ""
        _ = Wait.until {
            answer = ask(line)
            return isExpected(answer)
        }
        return answer
    }

    /// Repeats a request until its answer contains some words, for at most two minutes. Returns the last answer.
    func ask(_ line: String, until words: String) -> String {
        ask(line) { $0.contains(words) }
    }

    /// The number of bytes that can be read without waiting.
    var available: Int {
        var bytes: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &bytes) == 0 else { return 0 }
        return Int(bytes)
    }

    /// Removes the lines that have been received, and returns their number.
    func discardLines() -> Int {
        while take(flags: Int32(MSG_DONTWAIT)) > 0 {}
        let lines = buffer.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        buffer.removeFirst(buffer.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
        return lines
    }

    private func take(flags: Int32) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
            let count = recv(descriptor, room.baseAddress, room.count, flags)
            if count > 0 { buffer.append(contentsOf: room[..<count]) }
            return count
        }
    }

    /// Sends a request and waits for one line.
    func ask(_ text: String) -> String {
        write(text + "\n")
        return line() ?? "(the connection ended)"
    }

    /// Closes the sending side of the connection.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }
}
