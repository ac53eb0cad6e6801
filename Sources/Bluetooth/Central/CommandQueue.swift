import Timers

/// Sends the central's commands to the controller, one at a time and in order. If the controller does not answer a command in
/// time, the queue calls `onTimeout`.
final class CommandQueue {
    /// Receives the status and the result of a command.
    typealias Completion = (HCIStatus, [UInt8]) -> Void

    private struct QueuedCommand {
        let command: HCICommand
        let completion: Completion
    }

    private enum State {
        case idle
        /// A command was sent; the timer limits the time for its answer.
        case inProgress(QueuedCommand, ScopedCountdown)
        /// The controller accepts no commands at present; the timer limits the time until it does.
        case blocked(ScopedCountdown)
    }

    private var state = State.idle
    /// The commands that have not been sent yet.
    private var waiting: [QueuedCommand] = []
    private let clock: any TimerClock
    private let limits: CentralLimits
    private let send: (HCICommand) -> Void
    private let onTimeout: (String) -> Void
    /// The number of answers to commands that were not in progress.
    private(set) var unexpectedAnswers = 0

    init(
        on clock: any TimerClock, _ limits: CentralLimits, send: @escaping (HCICommand) -> Void,
        onTimeout: @escaping (_ why: String) -> Void
    ) {
        (self.clock, self.limits, self.send, self.onTimeout) = (clock, limits, send, onTimeout)
    }

    /// Whether too many commands wait. If so, callers must drop a command that a device or an event of the controller has
    /// caused. Otherwise a device could fill the memory.
    var isFull: Bool { waiting.count >= limits.commandsWaiting }

    /// Whether no command is in progress or waits.
    var isIdle: Bool { if case .idle = state { waiting.isEmpty } else { false } }

    /// Sends a command after the commands that were enqueued before it.
    func enqueue(_ command: HCICommand, _ completion: @escaping Completion = { _, _ in }) {
        waiting.append(QueuedCommand(command: command, completion: completion))
        sendNext()
    }

    /// Handles the controller's answer to a command. `credits` is the number of commands that the controller accepts now.
    func handleAnswer(
        to opcode: HCICommand.Opcode, credits: UInt8, _ status: HCIStatus, _ result: [UInt8]
    ) {
        switch state {
        case .inProgress(let current, _) where current.command.opcode == opcode:
            state = credits > 0 ? .idle : .blocked(timer(for: opcode))
            current.completion(status, result)
        case .blocked where credits > 0: state = .idle
        // An event with the opcode `none` answers no command; it only reports credits.
        default: if opcode != .none { unexpectedAnswers += 1 }
        }
        sendNext()
    }

    /// Removes all commands. Their callbacks are not called.
    func removeAll() {
        waiting = []
        state = .idle
    }

    private func sendNext() {
        guard case .idle = state, !waiting.isEmpty else { return }
        let first = waiting.removeFirst()
        state = .inProgress(first, timer(for: first.command.opcode))
        send(first.command)
    }

    private func timer(for opcode: HCICommand.Opcode) -> ScopedCountdown {
        ScopedCountdown(on: clock, limits.commandTimeout) { [unowned self] in
            let code = String(opcode.rawValue, radix: 16)
            onTimeout("the controller does not answer command 0x\(code)")
        }
    }
}
