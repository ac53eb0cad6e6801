import Glibc

/// A line on the terminal that says how far it is; nothing where there is no terminal.
struct Progress {
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1

    init(_ total: Int) { self.total = total }

    func show(_ points: Int, _ seed: UInt64) {
        guard isShown else { return }
        Self.tell("\r\(points) of \(total) points, seed \(seed)")
    }

    func end() {
        guard isShown else { return }
        Self.tell("\r\u{1B}[K")
    }

    /// Writes to standard error.
    static func tell(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }
}
