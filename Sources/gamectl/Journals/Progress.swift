import Shell

/// Shows on a terminal how far long work has got; elsewhere nothing.
struct Progress {
    private let what: String
    private let total: Int
    private let isShown: Bool
    private var next = step
    private var hasShown = false

    /// How much is done between two looks: what is shorter than one is not shown at all.
    private static let step = 5000

    init(_ what: String, of total: Int) {
        (self.what, self.total) = (what, total)
        isShown = Terminal(2).isTerminal
    }

    mutating func show(_ done: Int) {
        guard done >= next else { return }
        next = done + Self.step
        guard isShown else { return }
        hasShown = true
        let percent = total > 0 ? min(100, done * 100 / total) : 100
        printError("\rgamectl: \(what): \(percent) %", end: "")
    }

    /// Leaves the line as if nothing had been there.
    mutating func end() {
        if hasShown { printError("\r\u{1B}[K", end: "") }
        hasShown = false
    }
}
