/// Shows on a terminal how far long work has got; elsewhere nothing.
public struct Progress {
    private let what: String
    private let total: Int
    private let step: Int
    private let isShown = Terminal(2).isTerminal
    private var next: Int
    private var hasShown = false

    /// Work on so many things. It is looked at each time `step` of them are done: what is shorter than that is
    /// not shown at all.
    public init(_ what: String, of total: Int, step: Int = 10_000) {
        (self.what, self.total, self.step) = (what, total, step)
        next = step
    }

    public mutating func show(_ done: Int) {
        guard isShown, done >= next else { return }
        next = done.addingReportingOverflow(step).partialValue
        hasShown = true
        let percent = Int(100 * min(1, Double(done) / Double(max(total, 1))))
        printError("\r\(what): \(percent) %", end: "")
    }

    /// Leaves the line as if nothing had been there.
    public mutating func end() {
        if hasShown { printError("\r\u{1B}[K", end: "") }
        hasShown = false
    }
}
