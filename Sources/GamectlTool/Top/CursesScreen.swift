import CNcurses
import Glibc
import Shell

/// The terminal, while `gamectl top` has all of it. ncurses gives it back as it was when the object is released.
final class CursesScreen {
    private let terminal: Terminal
    private let screen: OpaquePointer
    private let window: UnsafeMutablePointer<WINDOW>
    /// The bytes of a character in UTF-8 that has not arrived completely.
    private var unfinishedBytes: [UInt8] = []

    /// The pairs of colours, by their numbers.
    private static let colours: [(pair: Int16, colour: Int32)] = [
        (1, COLOR_RED), (2, COLOR_GREEN), (3, COLOR_CYAN),
    ]

    init(_ terminal: Terminal) throws(CommandError) {
        self.terminal = terminal
        // ncurses counts the columns of characters by the locale.
        setlocale(LC_ALL, "")
        let name = TerminalSafe.escaped(getenv("TERM").map { String(cString: $0) } ?? "")
        guard let screen = ncurses_open() else {
            throw .usage("top does not know the terminal '\(name)': set TERM")
        }
        guard ncurses_moves_cursor() else {
            endwin()
            delscreen(screen)
            throw .usage(
                "top needs a cursor that moves, and the terminal '\(name)' has none: set TERM")
        }
        guard let window = newwin(0, 0, 0, 0) else {
            endwin()
            delscreen(screen)
            throw .usage("top: no memory for the screen")
        }
        (self.screen, self.window) = (screen, window)
        // Control and C is a key, so that the terminal is always given back.
        raw()
        noecho()
        keypad(window, true)
        nodelay(window, true)
        set_escdelay(25)
        curs_set(0)
        if terminal.hasColour, has_colors() {
            start_color()
            use_default_colors()
            for (pair, colour) in Self.colours { init_pair(pair, Int16(colour), -1) }
        }
    }

    /// Throws unless standard input and output are a terminal.
    static func requireTerminal(_ terminal: Terminal) throws(CommandError) {
        guard terminal.isTerminal, isatty(STDIN_FILENO) == 1 else {
            throw .usage("top needs a terminal; 'gamectl follow' and 'gamectl watch' do not")
        }
    }

    deinit {
        delwin(window)
        endwin()
        delscreen(screen)
    }

    /// The present size, at most what a screen can have. Wraps ioctl(2).
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
        else { return (24, 80) }
        return (min(Int(size.ws_row), 500), min(Int(size.ws_col), 1000))
    }

    /// Whether the terminal has gone.
    var hasEnded: Bool {
        var request = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        return poll(&request, 1, 0) > 0 && Int32(request.revents) & (POLLHUP | POLLERR) != 0
    }

    /// Draws the lines, whose number is that of the screen's rows.
    func draw(_ lines: [TopLine], _ size: (rows: Int, columns: Int)) {
        resizeterm(Int32(size.rows), Int32(size.columns))
        wresize(window, Int32(size.rows), Int32(size.columns))
        werase(window)
        for (row, line) in lines.enumerated() {
            wmove(window, Int32(row), 0)
            wattrset(window, attributes(of: line.style))
            // A character in the last column of the last row would scroll the window.
            let width = row == lines.count - 1 ? size.columns - 1 : size.columns
            waddnstr(window, String(terminal.shown(line.text).prefix(width)), -1)
        }
        wattrset(window, 0)
        wnoutrefresh(window)
        doupdate()
    }

    private func attributes(of style: TopLine.Style) -> Int32 {
        switch style {
        case .plain: 0
        case .heading: ncurses_bold
        case .selected: ncurses_reverse
        case .dim: ncurses_dim
        case .alert: ncurses_bold | (terminal.hasColour ? COLOR_PAIR(1) : 0)
        case .good: terminal.hasColour ? COLOR_PAIR(2) : 0
        }
    }

    /// The keys that have arrived.
    func readKeys() -> [TopKey] {
        var keys: [TopKey] = []
        while true {
            let code = wgetch(window)
            guard code != ERR else { return keys }
            if let key = key(code) { keys.append(key) }
        }
    }

    private func key(_ code: Int32) -> TopKey? {
        switch code {
        case KEY_UP: return .up
        case KEY_DOWN: return .down
        case KEY_ENTER, 10, 13: return .enter
        case KEY_BACKSPACE, 8, 127: return .backspace
        case 3: return .interrupt
        case 27: return .escape
        case 32...126, 128...255: return character(UInt8(truncatingIfNeeded: code))
        default: return nil
        }
    }

    /// The character that the byte ends; nil if more bytes belong to it.
    private func character(_ byte: UInt8) -> TopKey? {
        // The bytes before it are of another character set.
        if byte < 0x80 { unfinishedBytes = [] }
        unfinishedBytes.append(byte)
        if let text = String(validating: unfinishedBytes, as: UTF8.self), let character = text.first
        {
            unfinishedBytes = []
            return .character(character)
        }
        if unfinishedBytes.count >= 4 { unfinishedBytes = [] }
        return nil
    }
}
