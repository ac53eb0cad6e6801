import Bluetooth

/// A controller that reports success for each command. So the central is ready when the random bytes begin to reach it.
final class ObedientController: HCIEndpoint {
    weak var host: (any HCIHost)?
    private var framer = H4Framer()
    /// The answers that `deliver` passes to the host. `send` must not pass them, because an `HCIEndpoint` may not call its
    /// host while the host is calling it.
    private var answers: [UInt8] = []
    private var isOpening = false

    func open() { isOpening = true }
    func close() { (isOpening, answers) = (false, []) }

    func send(_ bytes: [UInt8]) {
        framer.append(bytes)
        while let packet = framer.next() {
            if packet.kind == .command { answer(Array(packet.bytes[1...2])) }
        }
    }

    private func answer(_ opcode: [UInt8]) {
        switch opcode {
        // Disconnect and LE Create Connection: command status.
        case [0x06, 0x04], [0x0D, 0x20]: answers += [4, 0x0F, 4, 0, 1] + opcode
        // LE Read Buffer Size: eight buffers of 27 bytes each.
        case [0x02, 0x20]: answers += [4, 0x0E, 7, 1] + opcode + [0, 27, 0, 8]
        default: answers += [4, 0x0E, 4, 1] + opcode + [0]
        }
    }

    /// Reports to the host that the controller is open, if it has just been opened, and passes the waiting answers. If the host
    /// then sends further commands, passes the answers to these too, until none is left.
    func deliver() {
        while isOpening || !answers.isEmpty {
            if isOpening {
                isOpening = false
                host?.opened()
            }
            let waitingAnswers = answers
            answers = []
            if !waitingAnswers.isEmpty { host?.received(waitingAnswers[...]) }
        }
    }
}
