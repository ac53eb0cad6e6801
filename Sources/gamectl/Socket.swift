import CLinux
import Glibc
import Shell
import Timers

/// A connected UNIX socket, closed when it is let go of.
struct Socket: ~Copyable {
    let descriptor: Int32

    /// Connects. A daemon that is stopped and has more callers than fit is not waited for longer than
    /// `patience`. Wraps connect(2).
    init(_ place: ClientSocket, patience: Duration) throws(Failure) {
        let path = place.path
        guard let address = SocketPath.address(path) else {
            throw .usage("--socket: a path of 1 to 107 bytes")
        }
        let made = SocketPath.socket()
        guard made >= 0 else { throw Self.unreachable(place, errno) }
        let micros = max(1, patience.nanoseconds / 1000)
        var limit = timeval(tv_sec: Int(micros / 1_000_000), tv_usec: Int(micros % 1_000_000))
        setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard SocketPath.with(address, { connect(made, $0, $1) }) == 0 else {
            let error = errno
            close(made)
            if error == EAGAIN {
                throw .timedOut(
                    "\(TerminalSafe.word(path)): gamed accepts no connection at present")
            }
            throw Self.unreachable(place, error)
        }
        _ = fcntl(made, F_SETFL, fcntl(made, F_GETFL) | O_NONBLOCK)
        descriptor = made
    }

    deinit { close(descriptor) }

    private static func unreachable(_ place: ClientSocket, _ error: Int32) -> Failure {
        let (path, why) = (TerminalSafe.word(place.path), String(cString: strerror(error)))
        guard error == ENOENT || error == ECONNREFUSED || error == ENOTDIR else {
            return .unreachable("cannot connect to \(path): \(why)")
        }
        let search = place.search.map { ["\(TerminalSafe.word($0))"] } ?? []
        let lines = ["nothing listens at \(path): \(why)"] + search
        return .unreachable(
            (lines + [
                "is gamed running? `systemctl status gamed` shows the service, `make run` starts one here"
            ])
            .joined(separator: "\n"))
    }

    /// Hands over what there is; false if there is nothing yet.
    func read(_ take: (UnsafeRawBufferPointer) -> Void) throws(Failure) -> Bool {
        var ended = false
        let found = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { room in
            let count = Glibc.read(descriptor, room.baseAddress, room.count)
            if count > 0 { take(UnsafeRawBufferPointer(rebasing: room[..<count])) }
            ended = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
            return count > 0
        }
        if ended { throw .lost }
        return found
    }

    /// Sends what fits, with a descriptor if one is given; how much that was.
    func write(_ bytes: [UInt8], passing passed: Int32? = nil) throws(Failure) -> Int {
        let count = bytes.withUnsafeBytes {
            if let passed {
                linux_send(descriptor, $0.baseAddress, $0.count, passed)
            } else {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
        }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw .lost }
        return 0
    }
}
