import Timers

/// Commands on their way to the controller: one at a time, in order, each answered or given up.
final class CommandQueue {
    /// What came of a command, and what the controller said besides.
    typealias Done = (HCIStatus, [UInt8]) -> Void

    private struct Waiting {
        let command: HCICommand
        let done: Done
    }

    private enum State {
        case idle
        /// One is with the controller, until the timer fires.
        case asked(Waiting, ScopedCountdown)
        /// The controller takes none at present.
        case choked(ScopedCountdown)
    }

    private var state = State.idle
    private var waiting: [Waiting] = []
    private let timeline: any TimerClock
    private let limits: CentralLimits
    private let send: (HCICommand) -> Void
    private let silent: (String) -> Void
    /// How many answers nobody had asked for.
    private(set) var unasked = 0

    /// `silent` is called when the controller does not answer in time.
    init(
        on timeline: any TimerClock, _ limits: CentralLimits, send: @escaping (HCICommand) -> Void,
        silent: @escaping (_ why: String) -> Void
    ) {
        (self.timeline, self.limits, self.send, self.silent) = (timeline, limits, send, silent)
    }

    /// Whether so many wait that what a device or the controller itself makes for has to be left out.
    var isCrowded: Bool { waiting.count >= limits.commandsWaiting }

    /// Whether nothing is asked, and nothing waits.
    var isIdle: Bool { if case .idle = state { waiting.isEmpty } else { false } }

    /// Has a command carried out, when those before it are.
    func order(_ command: HCICommand, _ done: @escaping Done = { _, _ in }) {
        waiting.append(Waiting(command: command, done: done))
        next()
    }

    /// The controller answered.
    func answered(
        _ opcode: HCICommand.Opcode, credits: UInt8, _ status: HCIStatus, _ result: [UInt8]
    ) {
        switch state {
        case .asked(let asked, _) where asked.command.opcode == opcode:
            state = credits > 0 ? .idle : .choked(timer(for: opcode))
            asked.done(status, result)
        case .choked where credits > 0: state = .idle
        default: if opcode != .none { unasked += 1 }
        }
        next()
    }

    /// Forgets all that was ordered; nobody is told.
    func forget() {
        waiting = []
        state = .idle
    }

    private func next() {
        guard case .idle = state, !waiting.isEmpty else { return }
        let first = waiting.removeFirst()
        state = .asked(first, timer(for: first.command.opcode))
        send(first.command)
    }

    private func timer(for opcode: HCICommand.Opcode) -> ScopedCountdown {
        ScopedCountdown(on: timeline, limits.command) { [unowned self] in
            let code = String(opcode.rawValue, radix: 16)
            silent("the controller does not answer command 0x\(code)")
        }
    }
}
