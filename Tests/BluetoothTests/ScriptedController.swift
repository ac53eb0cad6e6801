import Support
import Timers

@testable import Bluetooth

/// A controller that sends only what a test lets it send, and records what it receives.
final class ScriptedController: HCIEndpoint {
    weak var host: (any HCIHost)?
    let time = VirtualClock()
    /// The times at which the central opened this controller, in milliseconds.
    private(set) var openings: [Int64] = []
    /// The packets that `takeSent` returns next.
    private var sent: [HCIPacket] = []
    private var framer = H4Framer()
    private(set) var central: Central!
    /// The events of the central, as text, such as `up`, `lost: out of reach`, and `01` for a notification of the value 1.
    private(set) var events: [String] = []
    /// Returns the HCI events with which the controller answers a command; none if it does not answer.
    var answer: (HCICommand) -> [[UInt8]] = ScriptedController.obey

    init(limits: CentralLimits = CentralLimits()) {
        central = Central(self, on: time, limits: limits)
        central.wantedSubscriptions = { _ in [DeviceModel.itagSubscription] }
        central.listener = { [unowned self] event in
            switch event {
            case .up: events.append("up")
            case .down(let why): events.append("down: \(why)")
            case .found: break
            case .ready: events.append("ready")
            case .lost(_, let reason): events.append("lost: \(reason)")
            case .notified(_, let notification):
                events.append(Hexadecimal.write(notification.value))
            }
        }
    }

    // MARK: the endpoint

    func open() {
        openings.append(time.now.milliseconds)
        isOpening = true
    }

    func close() {
        framer.reset()
        (isOpening, answers) = (false, [])
    }

    func send(_ bytes: [UInt8]) {
        framer.append(bytes)
        while let packet = framer.next() {
            sent.append(packet)
            if packet.kind == .command, let command = HCICommand(packet.body) {
                answers += answer(command)
            }
        }
    }

    /// Whether the central has opened the controller and was not yet told that it is open.
    private var isOpening = false
    /// The answers that are not delivered yet.
    private var answers: [[UInt8]] = []

    /// Tells the central that the controller is open, and delivers the answers. If the central then sends commands, this
    /// function delivers their answers, too.
    func deliverPendingEvents() {
        while isOpening || !answers.isEmpty {
            if isOpening {
                isOpening = false
                host?.opened()
            }
            for bytes in exchange(&answers, with: []) { host?.received(bytes[...]) }
        }
    }

    /// Moves the virtual clock by a duration such as `250ms`, and delivers the answers to the commands that timers send.
    func advanceClock(_ text: String) {
        // In steps, because answers may cause new commands.
        let end = time.now + DurationText.read(text)!
        while let next = time.timerQueue.next, next <= end {
            time.advanceToNext()
            deliverPendingEvents()
        }
        time.advance(by: end - time.now)
    }

    // MARK: events

    /// The answer of a controller that succeeds immediately.
    static func obey(_ command: HCICommand) -> [[UInt8]] {
        let opcode = opcodeBytes(of: command)
        switch command.opcode {
        case .disconnect, .leCreateConnection: return [[4, 0x0F, 4, 0, 1] + opcode]
        case .leReadBufferSize: return [[4, 0x0E, 7, 1] + opcode + [0, 27, 0, 8]]
        default: return [[4, 0x0E, 4, 1] + opcode + [0]]
        }
    }

    static func opcodeBytes(of command: HCICommand) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(command.opcode.rawValue)
        return bytes
    }

    /// Passes a packet, or any other bytes, to the host. Then delivers the answers to the commands that the host has sent.
    func sendToHost(_ bytes: [UInt8]) {
        host?.received(bytes[...])
        deliverPendingEvents()
    }

    /// Reports an advertisement of the device whose address ends with `addressByte`.
    func advertise(_ addressByte: UInt8 = 1) {
        sendToHost([4, 0x3E, 12, 2, 1, 0, 1, addressByte, 0, 0, 0, 0, 0xC0, 0, 0xC4])
    }

    /// Reports the result of a connection attempt to the device whose address ends with `addressByte`.
    func connect(_ addressByte: UInt8 = 1, handle: UInt8 = 0x40, status: UInt8 = 0) {
        let linkParameters: [UInt8] = [24, 0, 0, 0, 100, 0, 0]
        sendToHost(
            [4, 0x3E, 19, 1, status, handle, 0, 0, 1, addressByte, 0, 0, 0, 0, 0xC0]
                + linkParameters)
    }

    /// Reports the end of a link. Reason 8 is a supervision timeout: the device is out of reach.
    func disconnect(handle: UInt8 = 0x40, status: UInt8 = 0, reason: UInt8 = 8) {
        sendToHost([4, 5, 4, status, handle, 0, reason])
    }

    /// Passes a frame from a device to the host, in one fragment.
    func sendFrame(_ channel: UInt8, _ payload: [UInt8], handle: UInt8 = 0x40) {
        let length = UInt8(payload.count)
        sendToHost([2, handle, 0x20, length + 4, 0, length, 0, channel, 0] + payload)
    }

    /// Passes a packet of the attribute protocol from a device to the host.
    func sendATT(_ payload: [UInt8]) { sendFrame(4, payload) }

    /// Reports that packets of the host were sent and that their buffers are free.
    func reportCompletedPackets(_ count: UInt8, handle: UInt8 = 0x40) {
        sendToHost([4, 0x13, 5, 1, handle, 0, count, 0])
    }

    // MARK: what the host sent

    /// The commands among the packets of `takeSent`; the other packets are discarded.
    func takeCommands() -> [HCICommand.Opcode] {
        takeSent().compactMap { $0.kind == .command ? HCICommand($0.body)?.opcode : nil }
    }

    /// The frames among the packets of `takeSent`, each as its channel and its payload. All other packets are discarded. Each
    /// frame must fit into one fragment.
    func takeFrames() -> [[UInt8]] {
        takeSent().filter { $0.kind == .acl }.map { [$0.bytes[7]] + $0.bytes.dropFirst(9) }
    }

    /// The packets that the host has sent since the previous call of this function, `takeCommands` or `takeFrames`.
    func takeSent() -> [HCIPacket] { exchange(&sent, with: []) }

    // MARK: typical states

    /// Starts the central. If the controller carries out all commands, the central is ready when this function returns.
    func startCentral() {
        central.start()
        deliverPendingEvents()
    }

    /// Makes a link to a device. When this function returns, the central has sent the first request of its attribute discovery.
    func connectOneDevice() {
        startCentral()
        advertise()
        connect()
        _ = takeSent()
    }

    /// Makes a link to a device and answers all requests of the central's discovery. The device's notifications have handle 3.
    func connectAndDiscover() {
        connectOneDevice()
        for answer: [UInt8] in [
            [3, 23, 0],
            [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0xE1, 0xFF, 4, 0, 2, 0x29],
            [1, 4, 5, 0, 0x0A], [0x0B, 0xE0, 0xFF], [0x0B, 0x12, 3, 0, 0xE1, 0xFF], [0x13],
        ] {
            sendATT(answer)
            reportCompletedPackets(1)
        }
        _ = takeSent()
    }
}
