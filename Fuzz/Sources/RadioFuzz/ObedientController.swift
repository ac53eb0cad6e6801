import Bluetooth

/// A controller that reports success for each command, so that the central becomes ready before the random bytes reach it.
final class ObedientController: HCIEndpoint {
    weak var host: (any HCIHost)?
    private var framer = H4Framer()
    /// Packets that `deliver` sends. They are not sent at once, because the central sends commands while it handles a packet.
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
        // LE Read Buffer Size: eight of 27 bytes.
        case [0x02, 0x20]: answers += [4, 0x0E, 7, 1] + opcode + [0, 27, 0, 8]
        default: answers += [4, 0x0E, 4, 1] + opcode + [0]
        }
    }

    /// Sends the waiting packets, and then the answers to the commands with which the central responds to them.
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
