import Testing
import Timers

@testable import Bluetooth

/// Controllers that are broken, or mean no good.
@Suite struct MisbehavingControllerTests {
    @Test
    func `one that answers nothing is given up after five seconds, and tried less and less often`()
    {
        let controller = ScriptedController()
        controller.answer = { _ in [] }
        controller.begin()
        controller.pass("40s")
        // 250 ms, 500 ms, 1 s, 2 s, 4 s behind five seconds of patience each.
        #expect(controller.openings == [0, 5250, 10_750, 16_750, 23_750, 32_750])
        #expect(
            controller.heard.first == "down: the controller does not answer command 0xc03")
        #expect(controller.heard.count == 6)
        controller.answer = ScriptedController.obey
        controller.pass("30s")
        #expect(controller.central.phase == .ready)
        #expect(controller.heard.last == "up")
    }

    @Test func `one that answers each command twice is understood all the same`() {
        let controller = ScriptedController()
        controller.answer = { ScriptedController.obey($0) + ScriptedController.obey($0) }
        controller.ready()
        #expect(controller.heard == ["up", "ready"])
        controller.att([0x1B, 3, 0, 1])
        #expect(controller.heard.last == "01")
        #expect(controller.central.commands.unasked > 4)
    }

    @Test func `one that refuses to begin is begun anew`() {
        let controller = ScriptedController()
        controller.answer = { command in
            [[4, 0x0E, 4, 1] + ScriptedController.bytes(of: command) + [0x0C]]
        }
        controller.begin()
        #expect(controller.heard == ["down: the controller refuses command 0xc03: not now"])
        controller.pass("250ms")
        #expect(controller.openings == [0, 250])
    }

    @Test func `one that will not connect leaves the device for later`() {
        let controller = ScriptedController()
        controller.answer = { command in
            command.opcode == .leCreateConnection
                ? [[4, 0x0F, 4, 0x0C, 1] + ScriptedController.bytes(of: command)]
                : ScriptedController.obey(command)
        }
        controller.begin()
        controller.advertise()
        #expect(controller.central.devices[0].problem == "no link: not now")
        _ = controller.takeSent()
        // It listens on, and leaves the device alone for a quarter of a second.
        controller.advertise()
        #expect(controller.takeCommands() == [])
        controller.pass("250ms")
        controller.advertise()
        #expect(controller.takeCommands().contains(.leCreateConnection))
    }

    @Test
    func `one that never says whether a link came about is asked to stop, and then not waited for`()
    {
        let controller = ScriptedController()
        controller.begin()
        controller.advertise()
        _ = controller.takeSent()
        controller.pass("4s")
        #expect(controller.takeCommands() == [.leCreateConnectionCancel])
        controller.pass("5s")
        #expect(controller.central.devices[0].problem?.hasPrefix("no link: ") == true)
        #expect(controller.takeCommands() == [.leSetScanEnable])
    }

    @Test func `what is said of links that never were changes nothing`() {
        let controller = ScriptedController()
        controller.ready()
        controller.disconnect(handle: 0x77)
        controller.complete(200, handle: 0x77)
        controller.frame(4, [0x1B, 3, 0, 1], handle: 0x77)
        controller.complete(200)
        #expect(controller.heard == ["up", "ready"])
        controller.att([0x1B, 3, 0, 1])
        #expect(controller.heard.last == "01")
    }

    @Test func `a link that nobody asked for is ended, and one that is told of twice is one`() {
        let controller = ScriptedController()
        controller.ready()
        controller.connect()
        #expect(controller.takeCommands() == [])
        controller.connect(9, handle: 0x41)
        #expect(controller.takeCommands() == [.disconnect])
        controller.connect(9, handle: 0x40)
        #expect(controller.takeCommands() == [.disconnect])
        controller.att([0x1B, 3, 0, 1])
        #expect(controller.heard == ["up", "ready", "01"])
    }

    @Test func `a disconnection that did not come about leaves the link`() {
        let controller = ScriptedController()
        controller.ready()
        controller.disconnect(status: 0x0C)
        #expect(controller.heard == ["up", "ready"])
        controller.disconnect()
        controller.disconnect()
        #expect(controller.heard == ["up", "ready", "lost: out of reach"])
    }

    @Test func `a hardware error ends all links, and it is begun anew`() {
        let controller = ScriptedController()
        controller.ready()
        controller.say([4, 0x10, 1, 0x42])
        #expect(
            controller.heard.suffix(2) == [
                "lost: the controller failed",
                "down: the controller reports a hardware error, 0x42",
            ])
        controller.pass("250ms")
        #expect(controller.central.phase == .ready)
        // The device is found again.
        controller.advertise()
        controller.connect()
        #expect(controller.central.devices[0].state == .discovering)
    }

    @Test func `garbage is dropped, and too much of it in a row ends the stream`() {
        let controller = ScriptedController()
        controller.ready()
        for _ in 0..<15 { controller.say([9, 9, 9]) }
        controller.att([0x1B, 3, 0, 1])
        #expect(controller.heard.last == "01")
        for _ in 0..<16 { controller.say([9, 9, 9]) }
        #expect(controller.heard.last == "down: what the controller says makes no sense")
        #expect(controller.central.malformed == 31)
    }

    @Test(arguments: [[1, 2, 3], [3, 1, 0, 2, 7, 7], [5, 1, 0, 2, 0, 7, 7], [4, 0xFF, 1, 9]])
    func `packets that nobody has use for change nothing`(_ bytes: [UInt8]) {
        let controller = ScriptedController()
        controller.ready()
        controller.say(bytes == [1, 2, 3] ? [1, 3, 0x0C, 0] : bytes)
        controller.att([0x1B, 3, 0, 1])
        #expect(controller.heard == ["up", "ready", "01"])
        #expect(controller.central.malformed == 0)
    }

    @Test func `one that hangs up in the middle of it all is begun anew, and no timer is left`() {
        let controller = ScriptedController()
        controller.link()
        controller.host?.closed("it hung up")
        #expect(controller.heard == ["up", "down: it hung up"])
        #expect(controller.time.pending.count == 1)
        controller.central.stop()
        #expect(controller.time.pending.isEmpty)
    }

    @Test func `one that will not listen is begun anew`() {
        let controller = ScriptedController()
        var isRefusing = true
        controller.answer = { command in
            guard command.opcode == .leSetScanEnable, isRefusing else {
                return ScriptedController.obey(command)
            }
            return [[4, 0x0E, 4, 1] + ScriptedController.bytes(of: command) + [0x0C]]
        }
        controller.begin()
        #expect(controller.heard == ["up", "down: the controller refuses to listen: not now"])
        isRefusing = false
        controller.pass("1s")
        controller.advertise()
        #expect(controller.takeCommands().last == .leCreateConnection)
    }

    @Test func `a packet that deferredCount more than ever comes swallows nothing for long`() {
        let controller = ScriptedController()
        controller.ready()
        controller.say([2, 0x40, 0x20, 0xFF, 0xFF])
        for _ in 0..<4 {
            controller.pass("1s")
            controller.advertise(2)
        }
        #expect(controller.heard == ["up", "ready"])
        controller.pass("1s")
        #expect(controller.heard.last == "down: the controller does not end what it began to say")
        controller.pass("1s")
        controller.advertise(2)
        #expect(controller.central.devices.count == 2)
    }

    @Test func `a packet that comes in two is no half packet`() {
        let controller = ScriptedController()
        controller.ready()
        controller.say([2, 0x40, 0x20, 8, 0, 4, 0, 4])
        controller.say([0, 0x1B, 3, 0, 1])
        controller.pass("10s")
        #expect(controller.heard == ["up", "ready", "01"])
    }

    @Test func `what was said late of one attempt does not end the next`() {
        let controller = ScriptedController()
        controller.begin()
        controller.advertise(1)
        controller.pass("9s")
        #expect(controller.central.devices[0].state == .seen)
        // The scan that comes first is not answered yet.
        controller.answer = { $0.opcode == .leSetScanEnable ? [] : ScriptedController.obey($0) }
        controller.advertise(2)
        controller.connect(1, handle: 0, status: 2)
        #expect(controller.central.devices[1].state == .connecting)
    }

    @Test
    func `room that an ended link holds is the controller's until it says that the link is gone`() {
        let controller = ScriptedController()
        controller.answer = { command in
            command.opcode == .leReadBufferSize
                ? [[4, 0x0E, 7, 1] + ScriptedController.bytes(of: command) + [0, 27, 0, 1]]
                : ScriptedController.obey(command)
        }
        controller.link()
        controller.att([5, 1])
        controller.att([2, 100, 0])
        // The one place is taken by what the first link was asked; it is given up meanwhile.
        controller.att([3, 23])
        #expect(controller.takeCommands() == [.disconnect])
        controller.advertise(2)
        controller.connect(2, handle: 0x41)
        #expect(controller.takeFrames() == [])
        controller.disconnect(reason: 0x16)
        controller.att([0x1E])
        #expect(controller.takeFrames() == [[4, 2, 247, 0]])
    }
}
