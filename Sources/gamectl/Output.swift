import Glibc
import Shell

/// Standard output, a line at a time: whoever reads a pipe has each line when it is written.
enum Output {
    /// Makes sure that 0, 1 and 2 are what they are called: were one closed, the socket would take its
    /// number, and the daemon would be sent what a person was to read.
    static func claimStandardStreams() {
        var descriptor: Int32
        repeat { descriptor = open("/dev/null", O_RDWR | O_CLOEXEC) } while 0...2 ~= descriptor
        if descriptor > 2 { close(descriptor) }
    }

    static func line(_ text: String) { line(Array(text.utf8)) }

    /// A line of JSON: as it is for a program; for a terminal, with nothing that it would obey.
    static func json(_ bytes: [UInt8]) { line(shown(bytes)) }

    static func shown(_ json: [UInt8]) -> [UInt8] {
        Terminal(1).isTerminal ? TerminalSafe.json(json) : json
    }

    static func line(_ bytes: [UInt8]) { write(bytes + [0x0A]) }

    /// Writes everything. A reader that has gone away, as `head` does, ends the program without a word;
    /// a full disk does not.
    static func write(_ bytes: [UInt8]) {
        if !offer(bytes) { exit(ExitStatus.done.rawValue) }
    }

    /// The same for who has something to put away first: false where the reader has gone.
    static func offer(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno == EPIPE {
                return false
            } else if errno != EINTR {
                printError("gamectl: standard output: \(String(cString: strerror(errno)))")
                exit(ExitStatus.refused.rawValue)
            }
        }
        return true
    }
}
