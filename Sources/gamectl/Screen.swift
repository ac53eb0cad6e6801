import Glibc
import Shell

/// Where a watch is shown: lines, and below them one that is drawn again and again in its place.
final class Screen {
    let terminal: Terminal
    /// What stands on the last line now.
    private var shown = ""

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// How wide the terminal is now; it may be resized at any time. Wraps ioctl(2).
    var columns: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// A line that stays.
    func line(_ text: String) { line(Array(text.utf8)) }

    func line(_ bytes: [UInt8]) {
        Output.write(erasing() + bytes + [0x0A])
        draw(shown)
    }

    /// A line for standard error, where no countdown is to run into it.
    func complain(_ text: String) {
        let last = shown
        clear()
        printError("gamectl: \(text)")
        draw(last)
    }

    /// Draws the last line anew; it must fit.
    func draw(_ text: String) {
        guard !text.isEmpty || !shown.isEmpty else { return }
        Output.write(erasing(for: text) + Array(text.utf8))
        shown = text
    }

    func clear() { draw("") }

    /// Back to the line's beginning, with nothing left behind where `text` will end. Without escape
    /// sequences, blanks do the same.
    private func erasing(for text: String = "") -> [UInt8] {
        guard !shown.isEmpty else { return [] }
        if terminal.hasColour { return Array("\r\u{1B}[K".utf8) }
        return Array(("\r" + String(repeating: " ", count: shown.count) + "\r").utf8)
    }
}
