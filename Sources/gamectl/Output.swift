import Glibc

/// Standard output, a line at a time: whoever reads a pipe has each line when it is written.
enum Output {
    static func line(_ text: String) { line(Array(text.utf8)) }

    static func line(_ bytes: [UInt8]) { write(bytes + [0x0A]) }

    /// Writes everything. A reader that has gone away, as `head` does, ends the program without a word.
    static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                exit(ExitStatus.done.rawValue)
            }
        }
    }
}
