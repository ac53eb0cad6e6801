import Bluetooth

/// A controller that carries out each command at once, so that random bytes reach a central that is ready.
final class ObedientController: HCIEndpoint {
    weak var host: (any HCIHost)?
    private var framer = H4Framer()
    /// Packets to send later, because commands arrive while the central handles a packet.
    private var answers: [UInt8] = []
    private var isOpening = false
    private(set) var sent = 0

    func open() { isOpening = true }
    func close() { (isOpening, answers) = (false, []) }

    func send(_ bytes: [UInt8]) {
        sent += bytes.count
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

    /// Sends the waiting packets, and those that result from them.
    func deliver() {
        while isOpening || !answers.isEmpty {
            if isOpening {
                isOpening = false
                host?.opened()
            }
            let said = answers
            answers = []
            if !said.isEmpty { host?.received(said[...]) }
        }
    }
}
