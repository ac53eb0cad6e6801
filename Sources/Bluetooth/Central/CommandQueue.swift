import Timers

/// Sends commands to the controller, one at a time and in order. Each is answered, or fails by a
/// timeout.
final class CommandQueue {
    /// Receives the status and the result of a command.
    typealias Done = (HCIStatus, [UInt8]) -> Void

    private struct Waiting {
        let command: HCICommand
        let done: Done
    }

    private enum State {
        case idle
        /// A command was sent; the timer limits the time for its answer.
        case asked(Waiting, ScopedCountdown)
        /// The controller accepts no commands at present.
        case choked(ScopedCountdown)
    }

    private var state = State.idle
    private var waiting: [Waiting] = []
    private let timeline: any TimerClock
    private let limits: CentralLimits
    private let send: (HCICommand) -> Void
    private let silent: (String) -> Void
    /// The number of answers to commands that were not sent.
    private(set) var unasked = 0

    /// `silent` is called when the controller does not answer in time.
    init(
        on timeline: any TimerClock, _ limits: CentralLimits, send: @escaping (HCICommand) -> Void,
        silent: @escaping (_ why: String) -> Void
    ) {
        (self.timeline, self.limits, self.send, self.silent) = (timeline, limits, send, silent)
    }

    /// Whether the queue is full for commands that a device or an event of the controller has
    /// caused.
    var isCrowded: Bool { waiting.count >= limits.commandsWaiting }

    /// Whether no command is in progress or waits.
    var isIdle: Bool { if case .idle = state { waiting.isEmpty } else { false } }

    /// Sends a command after those before it.
    func order(_ command: HCICommand, _ done: @escaping Done = { _, _ in }) {
        waiting.append(Waiting(command: command, done: done))
        next()
    }

    /// Takes the controller's answer to a command.
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

    /// Removes all commands without calling back.
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
