import Testing
import Timers

@testable import Bluetooth

/// Devices that are broken, odd, or mean no good.
@Suite struct MisbehavingDeviceTests {
    @Test(
        arguments: [
            // Handles that go back, a page of nothing, half a pair, a format that is none.
            [5, 1, 2, 0, 0, 0x28, 1, 0, 3, 0x28], [5, 1], [5, 1, 1, 0, 0], [5, 3, 1, 0, 0, 0x28],
            [5, 1, 0, 0, 0, 0x28],
        ] as [[UInt8]])
    func `one whose attributes make no sense is given up`(_ page: [UInt8]) {
        let controller = ScriptedController()
        controller.link()
        controller.att([3, 23, 0])
        controller.att(page)
        #expect(controller.takeCommands().last == .disconnect)
        let device = controller.central.devices[0]
        #expect(device.problem == "it does not answer about its attributes")
        controller.disconnect(reason: 0x16)
        #expect(device.state == .away)
        #expect(controller.heard == ["up"])
    }

    @Test func `one that never answers is given up after half a minute`() {
        let controller = ScriptedController()
        controller.link()
        controller.pass("29s")
        #expect(controller.takeCommands() == [])
        controller.pass("1s")
        #expect(controller.takeCommands() == [.disconnect])
        // Nor does the controller say that it is gone.
        controller.pass("5s")
        #expect(controller.central.devices[0].state == .away)
    }

    @Test func `one that answers what nobody asked is not listened to`() {
        let controller = ScriptedController()
        controller.link()
        for odd: [UInt8] in [
            [0x13], [0x0B, 1], [1, 0x12, 4, 0, 5], [5, 1, 1, 0, 0, 0x28], [], [0xFF],
        ] {
            controller.att(odd)
        }
        controller.att([3, 23, 0])
        #expect(controller.takeFrames().last == [4, 4, 1, 0, 0xFF, 0xFF])
    }

    @Test func `one with more attributes than are taken is given up`() {
        let controller = ScriptedController()
        controller.link()
        controller.att([3, 23, 0])
        for handle: UInt16 in 1...1025 where controller.central.links[0x40]?.ending == nil {
            controller.att([5, 1, UInt8(handle & 0xFF), UInt8(handle >> 8), 1, 0x29])
            controller.complete(1)
        }
        #expect(controller.takeCommands() == [.disconnect])
    }

    @Test func `one that wants to pair is refused politely, and heard all the same`() {
        let controller = ScriptedController()
        controller.ready()
        controller.frame(6, [0x0B, 1])
        controller.frame(6, [0x01, 3, 0, 1, 16, 0, 0])
        #expect(controller.takeFrames() == [[6, 5, 5], [6, 5, 5]])
        // Its own refusal is no question.
        controller.frame(6, [5, 5])
        #expect(controller.takeFrames() == [])
        #expect(controller.central.devices[0].problem == "it wants pairing")
        controller.att([0x1B, 3, 0, 1])
        #expect(controller.heard.last == "01")
    }

    @Test func `one whose subscription wants keys is said to`() {
        let controller = ScriptedController()
        controller.link()
        for answer: [UInt8] in [
            [3, 23, 0],
            [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0xE1, 0xFF, 4, 0, 2, 0x29],
            [1, 4, 5, 0, 0x0A], [0x0B, 0xE0, 0xFF], [0x0B, 0x12, 3, 0, 0xE1, 0xFF],
            [1, 0x12, 4, 0, 5],
        ] {
            controller.att(answer)
            controller.complete(1)
        }
        #expect(controller.heard == ["up", "ready"])
        #expect(controller.central.devices[0].problem == "FFE1 wants pairing")
    }

    @Test func `one that would like its link to be otherwise is answered, and gets it`() {
        let controller = ScriptedController()
        controller.ready()
        controller.frame(5, [0x12, 7, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0])
        let sent = controller.takeSent()
        #expect(sent.map(\.kind) == [.acl, .command])
        #expect(Array(sent[0].bytes.dropFirst(9)) == [0x13, 7, 2, 0, 0, 0])
        #expect(HCICommand(sent[1].body)?.opcode == .leConnectionUpdate)
        controller.complete(1)
        controller.frame(5, [0x12, 8, 8, 0, 6, 0, 5, 0, 0, 0, 100, 0])
        #expect(controller.takeFrames() == [[5, 0x13, 8, 2, 0, 1, 0]])
    }

    @Test func `one that never stops asking for another link holds up nobody else`() {
        let controller = ScriptedController()
        controller.ready()
        controller.answer = { _ in [] }
        for identifier: UInt8 in 1...200 {
            controller.frame(5, [0x12, identifier, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0])
            controller.complete(1)
        }
        let orders = controller.takeCommands()
        #expect(orders == [.leConnectionUpdate])
        // One is with the controller; no more wait than the limit, and what is ours comes behind them.
        controller.advertise(2)
        controller.answer = ScriptedController.obey
        controller.say([4, 0x0E, 4, 1, 0x13, 0x20, 0])
        let rest = controller.takeCommands()
        #expect(rest.filter { $0 == .leConnectionUpdate }.count == 64)
        #expect(rest.suffix(2) == [.leSetScanEnable, .leCreateConnection])
    }

    @Test func `one that asks for our attributes is told that there are none`() {
        let controller = ScriptedController()
        controller.ready()
        controller.att([2, 100, 0])
        controller.att([0x0A, 1, 0])
        controller.att([0x3A])
        // Commands and signs of what is done get no answer.
        controller.att([0x52, 1, 0, 1])
        controller.att([0x1E])
        #expect(
            controller.takeFrames() == [
                [4, 3, 247, 0], [4, 1, 0x0A, 0, 0, 0x0A], [4, 1, 0x3A, 0, 0, 6],
            ])
    }

    @Test func `one that asks faster than it listens is cut off`() {
        let controller = ScriptedController()
        controller.ready()
        for _ in 0..<300 { controller.att([0x0A, 1, 0]) }
        #expect(controller.central.devices[0].problem == "it asks faster than it listens")
        #expect(controller.takeCommands() == [.disconnect])
        #expect(controller.central.data.count(of: 0x40) <= controller.central.limits.packetsWaiting)
        // Its controller never says that it is gone.
        controller.pass("5s")
        #expect(controller.heard.last == "lost: ended here")
    }

    @Test func `one that indicates is heard, and told so`() {
        let controller = ScriptedController()
        controller.ready()
        controller.att([0x1D, 3, 0, 9])
        #expect(controller.heard.last == "09")
        #expect(controller.takeFrames() == [[4, 0x1E]])
        // Of what nobody wants nothing is told; cut off, it is nothing.
        controller.att([0x1B, 9, 0, 1])
        controller.att([0x1B, 3])
        #expect(controller.heard.last == "09")
    }

    @Test func `what it sends in pieces out of order is dropped, and the next is whole`() {
        let controller = ScriptedController()
        controller.ready()
        // On from nothing; a beginning without an end; and one that is whole.
        controller.say([2, 0x40, 0x10, 2, 0, 1, 2])
        controller.say([2, 0x40, 0x20, 4, 0, 4, 0, 4, 0])
        controller.att([0x1B, 3, 0, 1])
        // Longer than is taken, in three.
        controller.say([2, 0x40, 0x20, 6, 0, 0xFF, 0xFF, 4, 0, 1, 2])
        controller.say([2, 0x40, 0x10, 2, 0, 1, 2])
        controller.att([0x1B, 3, 0, 2])
        #expect(controller.heard.suffix(2) == ["01", "02"])
    }

    @Test func `more than it is known what it could be of is kept, and no more than the limit`() {
        var limits = CentralLimits()
        limits.earlyNotifications = 3
        let controller = ScriptedController(limits: limits)
        controller.link()
        for value: UInt8 in 1...5 { controller.att([0x1B, 3, 0, value]) }
        for answer: [UInt8] in [
            [3, 23, 0],
            [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0xE1, 0xFF], [1, 4, 4, 0, 0x0A],
            [0x0B, 0xE0, 0xFF],
        ] {
            controller.att(answer)
            controller.complete(1)
        }
        #expect(controller.heard == ["up", "01", "02", "03", "ready"])
    }
}
