import Testing
import Timers

@testable import Bluetooth

/// Broken and hostile controllers. `sendATT([0x1B, 3, 0, 1])` sends a notification of the value 1 from a device; the host
/// reports it as the event `01`.
@Suite struct MisbehavingControllerTests {
    @Test
    func
        `a controller that does not answer is closed after five seconds and retried with growing delays`()
    {
        let controller = ScriptedController()
        controller.answer = { _ in [] }
        controller.startCentral()
        controller.advanceClock("40s")
        // Delays of 250 ms, 500 ms, 1 s, 2 s and 4 s, each after a timeout of five seconds.
        #expect(controller.openings == [0, 5250, 10_750, 16_750, 23_750, 32_750])
        #expect(
            controller.events.first == "down: the controller does not answer command 0xc03")
        #expect(controller.events.count == 6)
        controller.answer = ScriptedController.obey
        controller.advanceClock("30s")
        #expect(controller.central.phase == .ready)
        #expect(controller.events.last == "up")
    }

    @Test func `repeated answers are ignored`() {
        let controller = ScriptedController()
        controller.answer = { ScriptedController.obey($0) + ScriptedController.obey($0) }
        controller.connectAndDiscover()
        #expect(controller.events == ["up", "ready"])
        controller.sendATT([0x1B, 3, 0, 1])
        #expect(controller.events.last == "01")
        #expect(controller.central.commands.unexpectedAnswers > 4)
    }

    @Test func `a controller that refuses a command at its start is retried`() {
        let controller = ScriptedController()
        controller.answer = { command in
            [[4, 0x0E, 4, 1] + ScriptedController.opcodeBytes(of: command) + [0x0C]]
        }
        controller.startCentral()
        #expect(
            controller.events == ["down: the controller refuses command 0xc03: command disallowed"])
        controller.advanceClock("250ms")
        #expect(controller.openings == [0, 250])
    }

    @Test func `a device that cannot be connected is retried later`() {
        let controller = ScriptedController()
        controller.answer = { command in
            command.opcode == .leCreateConnection
                ? [[4, 0x0F, 4, 0x0C, 1] + ScriptedController.opcodeBytes(of: command)]
                : ScriptedController.obey(command)
        }
        controller.startCentral()
        controller.advertise()
        #expect(controller.central.devices[0].problem == "no link: command disallowed")
        _ = controller.takeSent()
        // The scan continues, but for 250 ms the host does not try to connect to the device again.
        controller.advertise()
        #expect(controller.takeCommands() == [])
        controller.advanceClock("250ms")
        controller.advertise()
        #expect(controller.takeCommands().contains(.leCreateConnection))
    }

    @Test
    func `a connection attempt without a result is cancelled and then abandoned`() {
        let controller = ScriptedController()
        controller.startCentral()
        controller.advertise()
        _ = controller.takeSent()
        controller.advanceClock("4s")
        #expect(controller.takeCommands() == [.leCreateConnectionCancel])
        controller.advanceClock("5s")
        #expect(controller.central.devices[0].problem?.hasPrefix("no link: ") == true)
        #expect(controller.takeCommands() == [.leSetScanEnable])
    }

    @Test func `events of unknown links are ignored`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.disconnect(handle: 0x77)
        controller.reportCompletedPackets(200, handle: 0x77)
        controller.sendFrame(4, [0x1B, 3, 0, 1], handle: 0x77)
        controller.reportCompletedPackets(200)
        #expect(controller.events == ["up", "ready"])
        controller.sendATT([0x1B, 3, 0, 1])
        #expect(controller.events.last == "01")
    }

    @Test func `an unrequested link is disconnected, and a repeated event is ignored`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.connect()
        #expect(controller.takeCommands() == [])
        controller.connect(9, handle: 0x41)
        #expect(controller.takeCommands() == [.disconnect])
        controller.connect(9, handle: 0x40)
        #expect(controller.takeCommands() == [.disconnect])
        controller.sendATT([0x1B, 3, 0, 1])
        #expect(controller.events == ["up", "ready", "01"])
    }

    @Test func `a failed disconnection keeps the link`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.disconnect(status: 0x0C)
        #expect(controller.events == ["up", "ready"])
        controller.disconnect()
        controller.disconnect()
        #expect(controller.events == ["up", "ready", "lost: out of reach"])
    }

    @Test func `a hardware error ends all links and restarts the controller`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendToHost([4, 0x10, 1, 0x42])
        #expect(
            controller.events.suffix(2) == [
                "lost: the controller failed",
                "down: the controller reports a hardware error, 0x42",
            ])
        controller.advanceClock("250ms")
        #expect(controller.central.phase == .ready)
        // The device is found again.
        controller.advertise()
        controller.connect()
        #expect(controller.central.devices[0].state == .discovering)
    }

    @Test func `malformed bytes are dropped, and many of them in a row restart the controller`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        for _ in 0..<15 { controller.sendToHost([9, 9, 9]) }
        controller.sendATT([0x1B, 3, 0, 1])
        #expect(controller.events.last == "01")
        for _ in 0..<16 { controller.sendToHost([9, 9, 9]) }
        #expect(controller.events.last == "down: the controller sends malformed packets")
        #expect(controller.central.malformedCount == 31)
    }

    @Test(arguments: [
        [1, 3, 0x0C, 0], [3, 1, 0, 2, 7, 7], [5, 1, 0, 2, 0, 7, 7], [4, 0xFF, 1, 9],
    ])
    func `packets of unused kinds are ignored`(_ bytes: [UInt8]) {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendToHost(bytes)
        controller.sendATT([0x1B, 3, 0, 1])
        #expect(controller.events == ["up", "ready", "01"])
        #expect(controller.central.malformedCount == 0)
    }

    @Test
    func `a controller that closes the connection is retried, and no timer remains after a stop`() {
        let controller = ScriptedController()
        controller.connectOneDevice()
        controller.host?.closed("it closed the connection")
        #expect(controller.events == ["up", "down: it closed the connection"])
        #expect(controller.time.pending.count == 1)
        controller.central.stop()
        #expect(controller.time.pending.isEmpty)
    }

    @Test func `a controller that refuses to scan is restarted`() {
        let controller = ScriptedController()
        var isRefusing = true
        controller.answer = { command in
            guard command.opcode == .leSetScanEnable, isRefusing else {
                return ScriptedController.obey(command)
            }
            return [[4, 0x0E, 4, 1] + ScriptedController.opcodeBytes(of: command) + [0x0C]]
        }
        controller.startCentral()
        #expect(
            controller.events == ["up", "down: the controller refuses to scan: command disallowed"])
        isRefusing = false
        controller.advanceClock("1s")
        controller.advertise()
        #expect(controller.takeCommands().last == .leCreateConnection)
    }

    @Test func `the time until a packet is complete is limited`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendToHost([2, 0x40, 0x20, 0xFF, 0xFF])
        // The packet announces 65 535 bytes. The host treats the following advertisements as a part of this packet.
        for _ in 0..<4 {
            controller.advanceClock("1s")
            controller.advertise(2)
        }
        #expect(controller.events == ["up", "ready"])
        controller.advanceClock("1s")
        #expect(controller.events.last == "down: the controller sent an incomplete packet")
        controller.advanceClock("1s")
        controller.advertise(2)
        #expect(controller.central.devices.count == 2)
    }

    @Test func `a packet in two parts is assembled`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendToHost([2, 0x40, 0x20, 8, 0, 4, 0, 4])
        controller.sendToHost([0, 0x1B, 3, 0, 1])
        controller.advanceClock("10s")
        #expect(controller.events == ["up", "ready", "01"])
    }

    @Test func `a late event of one connection attempt does not end the next attempt`() {
        let controller = ScriptedController()
        controller.startCentral()
        controller.advertise(1)
        controller.advanceClock("9s")
        #expect(controller.central.devices[0].state == .seen)
        // The scan command of the second attempt is not answered yet.
        controller.answer = { $0.opcode == .leSetScanEnable ? [] : ScriptedController.obey($0) }
        controller.advertise(2)
        controller.connect(1, handle: 0, status: 2)
        #expect(controller.central.devices[1].state == .connecting)
    }

    @Test
    func `an attempt to connect that is cancelled before its command was sent makes no connection`()
    {
        let controller = ScriptedController()
        controller.startCentral()
        _ = controller.takeSent()
        // The command that stops scanning is not answered yet.
        controller.answer = { $0.opcode == .leSetScanEnable ? [] : ScriptedController.obey($0) }
        controller.advertise(1)
        controller.central.wantedSubscriptions = { _ in nil }
        controller.central.applyWantedSubscriptions()
        controller.sendToHost(ScriptedController.obey(.leSetScanEnable(false))[0])
        // The central stops scanning and starts again.
        #expect(controller.takeCommands() == [.leSetScanEnable, .leSetScanEnable])
        #expect(controller.central.devices[0].state == .seen)
    }

    @Test
    func `buffers of an ended link are used again only after the controller has reported the end`()
    {
        let controller = ScriptedController()
        controller.answer = { command in
            command.opcode == .leReadBufferSize
                ? [[4, 0x0E, 7, 1] + ScriptedController.opcodeBytes(of: command) + [0, 27, 0, 1]]
                : ScriptedController.obey(command)
        }
        controller.connectOneDevice()
        // The only buffer contains the host's MTU request to the first device.
        // The host ignores a response that it did not request.
        controller.sendATT([5, 1])
        // The device requests an MTU, too. The host's response waits for the buffer.
        controller.sendATT([2, 100, 0])
        // A truncated MTU response makes the host disconnect the device.
        controller.sendATT([3, 23])
        #expect(controller.takeCommands() == [.disconnect])
        controller.advertise(2)
        controller.connect(2, handle: 0x41)
        #expect(controller.takeFrames() == [])
        controller.disconnect(reason: 0x16)
        controller.sendATT([0x1E])
        #expect(controller.takeFrames() == [[4, 2, 247, 0]])
    }
}

/// Broken, unusual and hostile devices.
@Suite struct MisbehavingDeviceTests {
    @Test(
        arguments: [
            // Descending handles, an empty page, half a pair, an unknown format, and the handle 0.
            [5, 1, 2, 0, 0, 0x28, 1, 0, 3, 0x28], [5, 1], [5, 1, 1, 0, 0], [5, 3, 1, 0, 0, 0x28],
            [5, 1, 0, 0, 0, 0x28],
        ] as [[UInt8]])
    func `a device with malformed attributes is disconnected`(_ page: [UInt8]) {
        let controller = ScriptedController()
        controller.connectOneDevice()
        controller.sendATT([3, 23, 0])
        controller.sendATT(page)
        #expect(controller.takeCommands().last == .disconnect)
        let device = controller.central.devices[0]
        #expect(device.problem == "attribute discovery: no valid response")
        controller.disconnect(reason: 0x16)
        #expect(device.state == .away)
        #expect(controller.events == ["up"])
    }

    @Test func `a device that does not respond is disconnected after 30 seconds`() {
        let controller = ScriptedController()
        controller.connectOneDevice()
        controller.advanceClock("29s")
        #expect(controller.takeCommands() == [])
        controller.advanceClock("1s")
        #expect(controller.takeCommands() == [.disconnect])
        // The controller does not report the disconnection.
        controller.advanceClock("5s")
        #expect(controller.central.devices[0].state == .away)
    }

    @Test func `responses that were not requested are ignored`() {
        let controller = ScriptedController()
        controller.connectOneDevice()
        for response: [UInt8] in [
            [0x13], [0x0B, 1], [1, 0x12, 4, 0, 5], [5, 1, 1, 0, 0, 0x28], [], [0xFF],
        ] {
            controller.sendATT(response)
        }
        controller.sendATT([3, 23, 0])
        #expect(controller.takeFrames().last == [4, 4, 1, 0, 0xFF, 0xFF])
    }

    @Test func `a device with too many attributes is disconnected`() {
        let controller = ScriptedController()
        controller.connectOneDevice()
        controller.sendATT([3, 23, 0])
        // The limit is 1024 attributes.
        for handle: UInt16 in 1...1025
        where controller.central.links[0x40]?.disconnectTimer == nil {
            controller.sendATT([5, 1, UInt8(handle & 0xFF), UInt8(handle >> 8), 1, 0x29])
            controller.reportCompletedPackets(1)
        }
        #expect(controller.takeCommands() == [.disconnect])
    }

    @Test func `a request to pair is refused, and the link is kept`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendFrame(6, [0x0B, 1])
        controller.sendFrame(6, [0x01, 3, 0, 1, 16, 0, 0])
        // On channel 6, which is for security: Pairing Failed (5), because pairing is not supported (5).
        #expect(controller.takeFrames() == [[6, 5, 5], [6, 5, 5]])
        // A refusal from the device gets no answer.
        controller.sendFrame(6, [5, 5])
        #expect(controller.takeFrames() == [])
        #expect(controller.central.devices[0].problem == "it requires pairing")
        controller.sendATT([0x1B, 3, 0, 1])
        #expect(controller.events.last == "01")
    }

    @Test func `a subscription that requires pairing is reported as a problem`() {
        let controller = ScriptedController()
        controller.connectOneDevice()
        for answer: [UInt8] in [
            [3, 23, 0],
            [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0xE1, 0xFF, 4, 0, 2, 0x29],
            [1, 4, 5, 0, 0x0A], [0x0B, 0xE0, 0xFF], [0x0B, 0x12, 3, 0, 0xE1, 0xFF],
            [1, 0x12, 4, 0, 5],
        ] {
            controller.sendATT(answer)
            controller.reportCompletedPackets(1)
        }
        #expect(controller.events == ["up", "ready"])
        #expect(controller.central.devices[0].problem == "FFE1 requires pairing")
    }

    @Test func `a request for other connection parameters is answered and carried out`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendFrame(5, [0x12, 7, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0])
        let sent = controller.takeSent()
        #expect(sent.map(\.kind) == [.acl, .command])
        #expect(Array(sent[0].bytes.dropFirst(9)) == [0x13, 7, 2, 0, 0, 0])
        #expect(HCICommand(sent[1].body)?.opcode == .leConnectionUpdate)
        controller.reportCompletedPackets(1)
        controller.sendFrame(5, [0x12, 8, 8, 0, 6, 0, 5, 0, 0, 0, 100, 0])
        #expect(controller.takeFrames() == [[5, 0x13, 8, 2, 0, 1, 0]])
    }

    @Test func `repeated requests for connection parameters do not delay other devices`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.answer = { _ in [] }
        for identifier: UInt8 in 1...200 {
            controller.sendFrame(5, [0x12, identifier, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0])
            controller.reportCompletedPackets(1)
        }
        #expect(controller.takeCommands() == [.leConnectionUpdate])
        // One command is in progress, and 64 wait, which is the limit; the other requests cause no command. Commands for other
        // devices come after the 64.
        controller.advertise(2)
        controller.answer = ScriptedController.obey
        controller.sendToHost([4, 0x0E, 4, 1, 0x13, 0x20, 0])
        let laterCommands = controller.takeCommands()
        #expect(laterCommands.filter { $0 == .leConnectionUpdate }.count == 64)
        #expect(laterCommands.suffix(2) == [.leSetScanEnable, .leCreateConnection])
    }

    @Test func `requests for attributes of the central get an error`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendATT([2, 100, 0])
        controller.sendATT([0x0A, 1, 0])
        controller.sendATT([0x3A])
        // Commands and confirmations get no response.
        controller.sendATT([0x52, 1, 0, 1])
        controller.sendATT([0x1E])
        #expect(
            controller.takeFrames() == [
                [4, 3, 247, 0], [4, 1, 0x0A, 0, 0, 0x0A], [4, 1, 0x3A, 0, 0, 6],
            ])
    }

    @Test func `a device that sends requests faster than it reads is disconnected`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        for _ in 0..<300 { controller.sendATT([0x0A, 1, 0]) }
        #expect(
            controller.central.devices[0].problem
                == "it sends requests faster than it reads the responses")
        #expect(controller.takeCommands() == [.disconnect])
        #expect(
            controller.central.dataQueue.waitingCount(of: 0x40)
                <= controller.central.limits.packetsWaiting
        )
        // The controller never reports the disconnection.
        controller.advanceClock("5s")
        #expect(controller.events.last == "lost: disconnected by this host")
    }

    @Test func `an indication is reported and confirmed`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        controller.sendATT([0x1D, 3, 0, 9])
        #expect(controller.events.last == "09")
        #expect(controller.takeFrames() == [[4, 0x1E]])
        // Notifications of other handles and truncated ones are ignored.
        controller.sendATT([0x1B, 9, 0, 1])
        controller.sendATT([0x1B, 3])
        #expect(controller.events.last == "09")
    }

    @Test func `fragments out of order are dropped, and the next frame is assembled`() {
        let controller = ScriptedController()
        controller.connectAndDiscover()
        // First a continuation without a beginning, then an incomplete frame, and then a complete frame.
        controller.sendToHost([2, 0x40, 0x10, 2, 0, 1, 2])
        controller.sendToHost([2, 0x40, 0x20, 4, 0, 4, 0, 4, 0])
        controller.sendATT([0x1B, 3, 0, 1])
        // A frame that is too long, in three fragments.
        controller.sendToHost([2, 0x40, 0x20, 6, 0, 0xFF, 0xFF, 4, 0, 1, 2])
        controller.sendToHost([2, 0x40, 0x10, 2, 0, 1, 2])
        controller.sendATT([0x1B, 3, 0, 2])
        #expect(controller.events.suffix(2) == ["01", "02"])
    }

    @Test func `notifications before the discovery are stored up to a limit`() {
        var limits = CentralLimits()
        limits.earlyNotifications = 3
        let controller = ScriptedController(limits: limits)
        controller.connectOneDevice()
        for value: UInt8 in 1...5 { controller.sendATT([0x1B, 3, 0, value]) }
        for answer: [UInt8] in [
            [3, 23, 0],
            [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0xE1, 0xFF], [1, 4, 4, 0, 0x0A],
            [0x0B, 0xE0, 0xFF],
        ] {
            controller.sendATT(answer)
            controller.reportCompletedPackets(1)
        }
        #expect(controller.events == ["up", "01", "02", "03", "ready"])
    }
}
