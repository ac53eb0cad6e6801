import Glibc
import Shell

/// Standard output, written line by line without a buffer.
enum Output {
    /// Writes a line and its end.
    static func line(_ text: String) {
        line(Array(Terminal.standardOutput.shown(text).utf8))
    }

    /// Writes a line of JSON and its end; on a terminal, control characters are escaped.
    static func json(_ bytes: [UInt8]) { line(escapedForTerminal(bytes)) }

    /// A line of JSON; if standard output is a terminal, control characters are escaped.
    static func escapedForTerminal(_ json: [UInt8]) -> [UInt8] {
        Terminal.standardOutput.isTerminal ? TerminalSafe.json(json) : json
    }

    /// Writes a text of several lines, such as a diagram or a scenario. If standard output is a terminal, control characters are
    /// escaped; the lines stay.
    static func text(_ text: String) {
        guard Terminal.standardOutput.isTerminal else { return write(Array(text.utf8)) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let escapedText = lines.map { TerminalSafe.escaped(String($0)) }.joined(separator: "\n")
        write(Array(Terminal.standardOutput.shown(escapedText).utf8))
    }

    /// Writes a line and its end.
    static func line(_ bytes: [UInt8]) { write(bytes + [0x0A]) }

    /// Writes all bytes. Exits silently if the reader has closed the pipe, as `head` does.
    static func write(_ bytes: [UInt8]) {
        if !tryWrite(bytes) { exit(ExitStatus.done.rawValue) }
    }

    /// Writes all bytes; false if the reader has closed the pipe. Other errors end the program.
    static func tryWrite(_ bytes: [UInt8]) -> Bool {
        var unwritten = bytes[...]
        while !unwritten.isEmpty {
            let count = unwritten.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                unwritten = unwritten.dropFirst(count)
            } else if errno == EAGAIN {
                // Another program has made the pipe non-blocking. Wait, without a time limit (-1), until it accepts bytes.
                var pollRequest = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&pollRequest, 1, -1)
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

/// The output of `gamectl watch` and `gamectl follow`: lines, and below them status lines that are redrawn in place. The last
/// status line has no line end. The status lines are shown only on a terminal.
final class Screen {
    let terminal: Terminal
    /// The present status lines.
    private var statusLines: [String] = []

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// The terminal's present width; 80 if it is not known. Wraps ioctl(2).
    var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether several status lines can be redrawn. Without escape sequences, the cursor cannot move up.
    var hasSeveralStatusLines: Bool { terminal.hasColour }

    /// Prints a line above the status lines.
    func line(_ text: String) { line(Array(terminal.shown(text).utf8)) }

    /// Prints a line above the status lines.
    func line(_ bytes: [UInt8]) {
        let previousLines = statusLines
        Output.write(clearingBytes() + bytes + [0x0A])
        statusLines = []
        draw(previousLines)
    }

    /// Clears the status lines, prints a line on standard error, and draws the status lines again.
    func warn(_ text: String) {
        let previousLines = statusLines
        clear()
        printError("gamectl: \(text)")
        draw(previousLines)
    }

    /// Replaces the status lines. Each must fit into one line of the terminal.
    func draw(_ lines: [String]) {
        guard !lines.isEmpty || !statusLines.isEmpty else { return }
        let shownLines = lines.map(terminal.shown)
        Output.write(clearingBytes() + Array(shownLines.joined(separator: "\n").utf8))
        statusLines = shownLines
    }

    /// Removes the status lines.
    func clear() { draw([]) }

    /// The bytes that clear the status lines and move the cursor to their beginning. These bytes are escape sequences. If the
    /// terminal must not get escape sequences, there is at most one line, and the bytes are spaces that overwrite it.
    private func clearingBytes() -> [UInt8] {
        guard let lastLine = statusLines.last else { return [] }
        if terminal.hasColour {
            let earlierLines = String(repeating: "\u{1B}[A\u{1B}[K", count: statusLines.count - 1)
            return Array(("\r\u{1B}[K" + earlierLines).utf8)
        }
        return Array(("\r" + String(repeating: " ", count: lastLine.count) + "\r").utf8)
    }
}
