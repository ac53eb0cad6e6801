import Support
import Timers

@testable import Bluetooth

/// A controller that does only what a test has it do, and remembers what it was told.
final class ScriptedController: HCIEndpoint {
    weak var host: (any HCIHost)?
    let time = VirtualClock()
    /// When it was opened.
    private(set) var openings: [Int64] = []
    /// Every packet from the host since the last look.
    private var sent: [HCIPacket] = []
    private var framer = H4Framer()
    private(set) var central: Central!
    private(set) var heard: [String] = []
    /// How it answers a command; nil for not at all.
    var answer: (HCICommand) -> [[UInt8]] = ScriptedController.obey

    init(limits: CentralLimits = CentralLimits()) {
        central = Central(self, on: time, limits: limits)
        central.wish = { _ in [DeviceModel.itagSubscription] }
        central.listener = { [unowned self] event in
            switch event {
            case .up: heard.append("up")
            case .down(let why): heard.append("down: \(why)")
            case .found: break
            case .ready: heard.append("ready")
            case .lost(_, let reason): heard.append("lost: \(reason)")
            case .notified(_, let notification):
                heard.append(Hexadecimal.write(notification.value))
            }
        }
    }

    // MARK: the endpoint

    func open() {
        openings.append(time.now.milliseconds)
        isOpening = true
    }

    func close() {
        framer.forget()
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

    private var isOpening = false
    private var answers: [[UInt8]] = []

    /// What it has to say is said, and what that leads to.
    func settle() {
        while isOpening || !answers.isEmpty {
            if isOpening {
                isOpening = false
                host?.opened()
            }
            for bytes in exchange(&answers, with: []) { host?.received(bytes[...]) }
        }
    }

    func pass(_ text: String) {
        // Step by step, for what is said in between is answered in between.
        let end = time.now + DurationText.read(text)!
        while let next = time.timerQueue.next, next <= end {
            time.advanceToNext()
            settle()
        }
        time.advance(by: end - time.now)
    }

    // MARK: what it says

    /// Everything is done as ordered, at once.
    static func obey(_ command: HCICommand) -> [[UInt8]] {
        let opcode = bytes(of: command)
        switch command.opcode {
        case .disconnect, .leCreateConnection: return [[4, 0x0F, 4, 0, 1] + opcode]
        case .leReadBufferSize: return [[4, 0x0E, 7, 1] + opcode + [0, 27, 0, 8]]
        default: return [[4, 0x0E, 4, 1] + opcode + [0]]
        }
    }

    static func bytes(of command: HCICommand) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(command.opcode.rawValue)
        return bytes
    }

    func say(_ bytes: [UInt8]) {
        host?.received(bytes[...])
        settle()
    }

    /// A device is heard, by the last byte of its address.
    func advertise(_ last: UInt8 = 1) {
        say([4, 0x3E, 12, 2, 1, 0, 1, last, 0, 0, 0, 0, 0xC0, 0, 0xC4])
    }

    func connect(_ last: UInt8 = 1, handle: UInt8 = 0x40, status: UInt8 = 0) {
        let link: [UInt8] = [24, 0, 0, 0, 100, 0, 0]
        say([4, 0x3E, 19, 1, status, handle, 0, 0, 1, last, 0, 0, 0, 0, 0xC0] + link)
    }

    func disconnect(handle: UInt8 = 0x40, status: UInt8 = 0, reason: UInt8 = 8) {
        say([4, 5, 4, status, handle, 0, reason])
    }

    /// A frame of a device, in one fragment.
    func frame(_ channel: UInt8, _ payload: [UInt8], handle: UInt8 = 0x40) {
        let length = UInt8(payload.count)
        say([2, handle, 0x20, length + 4, 0, length, 0, channel, 0] + payload)
    }

    func att(_ payload: [UInt8]) { frame(4, payload) }

    /// The controller has room again for what was sent.
    func complete(_ count: UInt8, handle: UInt8 = 0x40) {
        say([4, 0x13, 5, 1, handle, 0, count, 0])
    }

    // MARK: what it was told

    /// The commands since the last look.
    func takeCommands() -> [HCICommand.Opcode] {
        takeSent().compactMap { $0.kind == .command ? HCICommand($0.body)?.opcode : nil }
    }

    /// The frames since the last look, each in one fragment: channel and payload.
    func takeFrames() -> [[UInt8]] {
        takeSent().filter { $0.kind == .acl }.map { [$0.bytes[7]] + $0.bytes.dropFirst(9) }
    }

    func takeSent() -> [HCIPacket] { exchange(&sent, with: []) }

    // MARK: how far

    /// A central that is ready.
    func begin() {
        central.start()
        settle()
    }

    /// A link whose device is to answer about its attributes.
    func link() {
        begin()
        advertise()
        connect()
        _ = takeSent()
    }

    /// A link to a tag that notifies: its value has handle 3.
    func ready() {
        link()
        for answer: [UInt8] in [
            [3, 23, 0],
            [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0xE1, 0xFF, 4, 0, 2, 0x29],
            [1, 4, 5, 0, 0x0A], [0x0B, 0xE0, 0xFF], [0x0B, 0x12, 3, 0, 0xE1, 0xFF], [0x13],
        ] {
            att(answer)
            complete(1)
        }
        _ = takeSent()
    }
}
